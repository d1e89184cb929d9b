#include "run/holder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/clock.h"
#include "base/file.h"

namespace tacho {
namespace {

/// hold() in a process of its own, as the shell sees it. Streams given as -1 stay the test's.
class Held {
 public:
  Held(
      std::vector<std::string> command, int in = -1, int out = -1, int err = -1,
      const std::function<void()>& before = [] {}) {
    pid_ = fork();
    if (pid_ != 0) return;
    if (in >= 0) dup2(in, 0);
    if (out >= 0) dup2(out, 1);
    if (err >= 0) dup2(err, 2);
    close_range(3, ~0U, 0);  // the other ends of the test's pipes
    alarm(20);               // bounds a test that fails
    before();
    auto ended = hold(command, [](pid_t) {});
    _exit(ended ? ended->code : ended.error().code == Errc::not_found ? 127 : 126);
  }
  ~Held() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  int wait() {
    int status = 0;
    pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)), POLLIN, 0};
    if (poll(&ended, 1, 20'000) == 0) kill(pid_, SIGKILL);  // bounds a test that fails
    close(ended.fd);
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

std::string status_of(pid_t pid) {
  return read_file("/proc/" + std::to_string(pid) + "/status").value_or("");
}

/// How often it has gone to sleep: more than before where it has served what woke it.
std::string sleeps_of(pid_t pid) {
  std::string status = status_of(pid);
  size_t at = status.find("\nvoluntary_ctxt_switches:");
  return at == std::string::npos ? "" : status.substr(at, status.find('\n', at + 1) - at);
}

/// Whether it becomes true; the bound only ends a test that fails.
bool eventually(const std::function<bool()>& condition) {
  for (int64_t end = monotonic_ns() + 20 * kSecond; monotonic_ns() < end;) {
    if (condition()) return true;
    usleep(1000);
  }
  return false;
}

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    read_end = Fd(ends[0]);
    write_end = Fd(ends[1]);
  }
  /// Reads until `text` has come (or the other side has closed).
  std::string until(const std::string& text) {
    while (seen.find(text) == std::string::npos) {
      char byte = 0;
      if (read(read_end.get(), &byte, 1) != 1) break;
      seen += byte;
    }
    return seen;
  }
  Fd read_end;
  Fd write_end;
  std::string seen;
};

TEST(Holder, GivesTheExitCode) {
  EXPECT_EQ(Held({"sh", "-c", "exit 0"}).wait(), 0);
  EXPECT_EQ(Held({"sh", "-c", "exit 42"}).wait(), 42);
  EXPECT_EQ(Held({"sh", "-c", "kill -TERM $$"}).wait(), 128 + SIGTERM);
  EXPECT_EQ(Held({"sh", "-c", "kill -KILL $$"}).wait(), 128 + SIGKILL);
}

TEST(Holder, SaysWhatCannotBeStarted) {
  EXPECT_EQ(Held({"/nonexistent/program"}).wait(), 127);
  EXPECT_EQ(Held({"/etc/passwd"}).wait(), 126);
}

TEST(Holder, TouchesNoByteOfTheStreams) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i)
    bytes += static_cast<char>(i * 7);
  Pipe in;
  Pipe out;
  Pipe err;
  Held held({"sh", "-c", "tee /dev/stderr"}, in.read_end.get(), out.write_end.get(),
            err.write_end.get());
  out.write_end.reset();
  err.write_end.reset();
  ASSERT_TRUE(write_all(in.write_end.get(), bytes));
  in.write_end.reset();
  EXPECT_EQ(out.until("never"), bytes);
  EXPECT_EQ(err.until("never"), bytes);
  EXPECT_EQ(held.wait(), 0);
}

TEST(Holder, ATerminalStaysATerminalAndAPipeAPipe) {
  int terminal = -1;
  int program_side = -1;
  ASSERT_EQ(openpty(&terminal, &program_side, nullptr, nullptr, nullptr), 0);
  Pipe out;
  Held held({"sh", "-c", "test -t 0 && test ! -t 1 && test -t 2"}, program_side,
            out.write_end.get(), program_side);
  EXPECT_EQ(held.wait(), 0);
  close(terminal);
  close(program_side);
}

TEST(Holder, PassesSignalsOn) {
  for (int signal : {SIGTERM, SIGHUP, SIGUSR1, SIGINT}) {
    Pipe out;
    Held held(
        {"sh", "-c",
         "trap 'echo got; exit 7' TERM HUP USR1 INT; echo ready; while :; do sleep 0.02; done"},
        -1, out.write_end.get());
    out.write_end.reset();
    out.until("ready");
    kill(held.pid(), signal);
    EXPECT_EQ(held.wait(), 7);
    EXPECT_NE(out.until("got").find("got"), std::string::npos);
  }
}

TEST(Holder, AProgramsSignalToItsOwnGroupComesOnce) {
  Pipe out;
  Held held({"sh", "-c",
             "trap 'echo [hup]' HUP; trap 'echo [usr]; exit' USR1; kill -HUP 0;"
             "while :; do sleep 0.02; done"},
            -1, out.write_end.get(), -1, [] { setsid(); });
  out.write_end.reset();
  // A second one from the holder would come before this: of two signals the lower is served first.
  out.until("[hup]");
  kill(held.pid(), SIGUSR1);
  std::string seen = out.until("[usr]");
  EXPECT_EQ(seen.find("[hup]"), seen.rfind("[hup]"));
  EXPECT_EQ(held.wait(), 0);
}

TEST(Holder, StoppedAndContinuedByOthersItIsStillWaitedFor) {
  Pipe in;
  Pipe out;
  Held held({"sh", "-c", "echo $$.; read line; exit 5"}, in.read_end.get(), out.write_end.get(), -1,
            [] { setsid(); });
  out.write_end.reset();
  auto program = static_cast<pid_t>(std::stol(out.until(".")));
  ASSERT_TRUE(
      eventually([&] { return status_of(held.pid()).find("State:\tS") != std::string::npos; }));
  std::string before = sleeps_of(held.pid());
  kill(program, SIGSTOP);
  ASSERT_TRUE(eventually([&] { return sleeps_of(held.pid()) != before; }));
  kill(program, SIGCONT);
  ASSERT_TRUE(write_all(in.write_end.get(), "go\n"));
  EXPECT_EQ(held.wait(), 5);
}

TEST(Holder, AnAlarmSetBeforeReachesTheProgram) {
  Held held({"sleep", "20"}, -1, -1, -1, [] { ualarm(100'000, 0); });
  EXPECT_EQ(held.wait(), 128 + SIGALRM);
}

TEST(Holder, KnowsTheExitCodeWhereSigchldWasIgnored) {
  Held held({"sh", "-c", "exit 6"}, -1, -1, -1, [] { signal(SIGCHLD, SIG_IGN); });
  EXPECT_EQ(held.wait(), 6);
}

TEST(Holder, PassesOnWhatItInheritedBlocked) {
  Pipe pids;
  pid_t holder = fork();
  if (holder == 0) {
    alarm(20);  // bounds a test that fails
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    auto ended = hold({"sleep", "20"},
                      [&](pid_t pid) { (void)!write(pids.write_end.get(), &pid, sizeof pid); });
    _exit(ended ? ended->code : 1);
  }
  pid_t program = 0;
  ASSERT_EQ(read(pids.read_end.get(), &program, sizeof program), 4);
  kill(holder, SIGTERM);
  // It waits at the program (bit 14), as it would without a holder.
  EXPECT_TRUE(eventually(
      [&] { return status_of(program).find("ShdPnd:\t0000000000004000") != std::string::npos; }));
  kill(program, SIGKILL);
  int ended = 0;
  waitpid(holder, &ended, 0);
  EXPECT_EQ(WEXITSTATUS(ended), 128 + SIGKILL);
}

TEST(Holder, LeavesTheProgramsSignalsAndDescriptorsAsTheyWere) {
  Pipe out;
  Held held(
      {"sh", "-c", "grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status; ls /proc/self/fd; echo end"}, -1,
      out.write_end.get());
  out.write_end.reset();
  std::string with = out.until("end");
  Pipe plain;
  pid_t child = fork();
  if (child == 0) {
    dup2(plain.write_end.get(), 1);
    close_range(3, ~0U, 0);
    execlp("sh", "sh", "-c",
           "grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status; ls /proc/self/fd; echo end", nullptr);
    _exit(1);
  }
  plain.write_end.reset();
  EXPECT_EQ(with, plain.until("end"));
  waitpid(child, nullptr, 0);
  EXPECT_EQ(held.wait(), 0);
}

TEST(Holder, TheProgramOutlivesTheHolder) {
  Pipe in;
  Pipe out;
  Held held({"sh", "-c", "echo ready; read line; echo $line"}, in.read_end.get(),
            out.write_end.get());
  out.write_end.reset();
  out.until("ready");
  kill(held.pid(), SIGKILL);
  EXPECT_EQ(held.wait(), -SIGKILL);
  ASSERT_TRUE(write_all(in.write_end.get(), "still here\n"));
  EXPECT_NE(out.until("here").find("still here"), std::string::npos);
}

TEST(Holder, ReportsWhatTheProgramUsed) {
  auto ended = hold({"sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"},
                    [](pid_t pid) { EXPECT_GT(pid, 0); });
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 0);
  EXPECT_GT(ended->user_seconds + ended->system_seconds, 0);
  EXPECT_GT(ended->max_rss_kib, 100U);
}

}  // namespace
}  // namespace tacho
