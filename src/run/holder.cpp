#include "run/holder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/file.h"

namespace tacho {
namespace {

/// Signals whose meaning is the program's to decide.
constexpr std::array kPassedOn{SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                               SIGUSR2, SIGALRM, SIGPIPE, SIGWINCH};

volatile pid_t program = 0;

/// The terminal sends its signals to the whole group, so the program has them already (si_code is
/// SI_KERNEL then); what a process sent to this one alone it has not.
void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  int saved = errno;
  if (info->si_code <= 0 && program > 0) kill(program, signal);
  errno = saved;
}

void pass_signals_on() {
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  for (int signal : kPassedOn)
    sigaction(signal, &action, nullptr);
}

/// In the child, between fork and exec. The errno of a failed exec goes through the pipe, which a
/// successful exec closes.
[[noreturn]] void become(const std::vector<std::string>& command, int report) {
  std::vector<char*> arguments;
  for (const std::string& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  int error = errno;
  (void)!write(report, &error, sizeof error);
  _exit(127);
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

}  // namespace

Result<Ended> hold(const std::vector<std::string>& command,
                   const std::function<void(pid_t)>& started) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, command[0]);
  Fd from_child(ends[0]);
  Fd to_parent(ends[1]);
  int64_t begin = monotonic_ns();
  // Signals that come between fork and the handlers must wait, or this process would end alone.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  pid_t pid = fork();
  if (pid < 0) {
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return fail_errno(error, command[0]);
  }
  if (pid == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    become(command, to_parent.get());
  }
  program = pid;
  pass_signals_on();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  to_parent.reset();
  int exec_error = 0;
  ssize_t got = 0;
  do {
    got = read(from_child.get(), &exec_error, sizeof exec_error);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof exec_error)) {
    waitpid(pid, nullptr, 0);
    return fail(exec_error == ENOENT ? Errc::not_found : Errc::no_permission, "{}: {}", command[0],
                std::strerror(exec_error));
  }
  started(pid);

  int status = 0;
  rusage usage{};
  while (true) {
    pid_t waited = wait4(pid, &status, WUNTRACED, &usage);
    if (waited < 0 && errno == EINTR) continue;
    if (waited < 0) return fail_errno(errno, command[0]);
    // Stopped by the terminal this process is stopped too, being in the group. Stopped by
    // somebody's SIGSTOP it stops itself, so that the shell knows of it and fg starts both again.
    if (WIFSTOPPED(status)) {
      if (WSTOPSIG(status) == SIGSTOP) raise(SIGSTOP);
      continue;
    }
    break;
  }
  program = 0;
  Ended ended;
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.code = WIFSIGNALED(status) ? 128 + ended.signal : WEXITSTATUS(status);
  ended.seconds = static_cast<double>(monotonic_ns() - begin) / 1e9;
  ended.user_seconds = seconds_of(usage.ru_utime);
  ended.system_seconds = seconds_of(usage.ru_stime);
  ended.max_rss_kib = static_cast<uint64_t>(usage.ru_maxrss);
  return ended;
}

}  // namespace tacho
