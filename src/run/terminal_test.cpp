// The holder under a shell with job control, on a terminal of the test's own.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "run/holder.h"

namespace tacho {
namespace {

constexpr int64_t kLongest = 20 * kSecond;  // bounds a test that fails; no verdict depends on it

/// What a shell does with a foreground job: waits, says when it has stopped, and continues it in
/// the foreground (fg) at once. Ends with the job's exit code.
[[noreturn]] void be_the_shell(const std::vector<std::string>& command) {
  signal(SIGTTOU, SIG_IGN);
  pid_t job = fork();
  if (job == 0) {
    setpgid(0, 0);
    tcsetpgrp(0, getpgrp());
    signal(SIGTTOU, SIG_DFL);
    auto ended = hold(command, [](pid_t) {});
    _exit(ended ? ended->code : 126);
  }
  int status = 0;
  while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
    tcsetpgrp(0, getpgrp());
    (void)!write(1, "[shell: stopped]", 16);
    tcsetpgrp(0, job);
    kill(-job, SIGCONT);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

class Terminal {
 public:
  explicit Terminal(const std::string& script) {
    int fd = -1;
    pid_ = forkpty(&fd, nullptr, nullptr, nullptr);
    if (pid_ == 0) be_the_shell({"sh", "-c", script});
    fd_ = Fd(fd);
  }
  ~Terminal() {
    fd_.reset();  // hangs up: the foreground job gets SIGHUP
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void type(std::string_view keys) { ASSERT_TRUE(write_all(fd_.get(), keys)); }
  /// Reads until `text` has come; whether it has.
  bool shows(const std::string& text) {
    int64_t end = monotonic_ns() + kLongest;
    while (seen.find(text) == std::string::npos && monotonic_ns() < end) {
      pollfd polled{fd_.get(), POLLIN, 0};
      char byte = 0;
      if (poll(&polled, 1, 100) <= 0) continue;
      if (read(fd_.get(), &byte, 1) != 1) break;
      seen += byte;
    }
    return seen.find(text) != std::string::npos;
  }
  int count(const std::string& text) const {
    int found = 0;
    for (size_t at = 0; (at = seen.find(text, at)) != std::string::npos; ++at)
      ++found;
    return found;
  }
  [[nodiscard]] int fd() const { return fd_.get(); }
  std::string seen;

 private:
  pid_t pid_ = -1;
  Fd fd_;
};

/// The number that stands after `label` in what was shown.
pid_t number_after(const std::string& seen, const std::string& label) {
  return static_cast<pid_t>(std::stol(seen.substr(seen.find(label) + label.size())));
}

TEST(Terminal, CtrlCReachesTheProgramOnce) {
  Terminal terminal(
      "trap 'echo [int]' INT; trap 'echo [usr]; exit' USR1; echo holder=$PPID.;"
      "while :; do sleep 0.02; done");
  ASSERT_TRUE(terminal.shows("."));
  terminal.type("\x03");
  ASSERT_TRUE(terminal.shows("[int]"));
  // A second SIGINT from the holder would come before this: it serves signals in their order.
  kill(number_after(terminal.seen, "holder="), SIGUSR1);
  ASSERT_TRUE(terminal.shows("[usr]"));
  EXPECT_EQ(terminal.count("[int]"), 1);
}

TEST(Terminal, CtrlZStopsAndFgContinues) {
  Terminal terminal("echo [ready]; read line; echo [got $line]");
  ASSERT_TRUE(terminal.shows("[ready]"));
  terminal.type("\x1a");
  ASSERT_TRUE(terminal.shows("[shell: stopped]"));
  terminal.type("hello\n");
  EXPECT_TRUE(terminal.shows("[got hello]"));
}

TEST(Terminal, AProgramThatIgnoresCtrlZKeepsItsTerminal) {
  Terminal terminal("trap '' TSTP; echo [ready]; read line; echo [got $line]");
  ASSERT_TRUE(terminal.shows("[ready]"));
  terminal.type("\x1ahello\n");
  EXPECT_TRUE(terminal.shows("[got hello]"));
  EXPECT_EQ(terminal.count("[shell: stopped]"), 0);
}

TEST(Terminal, AProgramThatStopsItselfGivesTheTerminalBack) {
  Terminal terminal("kill -STOP $$; read line; echo [got $line]");
  ASSERT_TRUE(terminal.shows("[shell: stopped]"));
  terminal.type("hello\n");
  EXPECT_TRUE(terminal.shows("[got hello]"));
}

TEST(Terminal, ANewSizeReachesTheProgram) {
  Terminal terminal("trap 'stty size; exit' WINCH; echo [ready]; while :; do sleep 0.02; done");
  ASSERT_TRUE(terminal.shows("[ready]"));
  winsize size{37, 113, 0, 0};
  ASSERT_EQ(ioctl(terminal.fd(), TIOCSWINSZ, &size), 0);
  EXPECT_TRUE(terminal.shows("37 113"));
}

}  // namespace
}  // namespace tacho
