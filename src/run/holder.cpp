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

/// Signals whose meaning is the program's to decide. The stop signals are among them, so that this
/// process stops only when the program has: one that ignores Ctrl-Z keeps its terminal.
constexpr std::array kPassedOn{SIGHUP,  SIGINT,   SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,
                               SIGPIPE, SIGWINCH, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU};

volatile pid_t program = 0;

/// The terminal sends its signals to the whole group, so the program has them already (si_code is
/// SI_KERNEL then), and so has it what it sent to its group itself. What another process sent to
/// this one it has not; nor has it the alarm set before this process was executed, which fork does
/// not pass on (alarm(2)).
void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  int saved = errno;
  bool sent = info->si_code <= 0 && info->si_pid != program && info->si_pid != getpid();
  if (program > 0 && (sent || signal == SIGALRM)) kill(program, signal);
  errno = saved;
}

/// Passes signals on from now on, also those that are blocked in what this process inherited: the
/// program has the same mask, and keeps them pending as it would have without us.
void pass_signals_on(sigset_t mask) {
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  for (int signal : kPassedOn) {
    sigaction(signal, &action, nullptr);
    sigdelset(&mask, signal);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

/// The program has ended. A caught SIGTTOU would make a write to the terminal start over for ever.
void pass_nothing_on() {
  program = 0;
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal : {SIGTSTP, SIGTTIN, SIGTTOU})
    sigaction(signal, &action, nullptr);
}

bool in_foreground() {
  Fd terminal(open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  return terminal && tcgetpgrp(terminal.get()) == getpgrp();
}

/// Stops this process too where a shell has to know: it takes back the terminal, and its fg starts
/// both. Elsewhere it must not, for who continues the program may not know of this process, which
/// would then never see the end.
void stop_too(int signal) {
  bool by_terminal = signal == SIGTTIN || signal == SIGTTOU;
  if (!by_terminal && !in_foreground()) return;
  if (signal == SIGSTOP) {
    raise(signal);
    return;
  }
  struct sigaction standard {};
  struct sigaction before {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, &before);
  raise(signal);
  sigaction(signal, &before, nullptr);
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

/// Starts the program; from then on signals are passed on to it.
Result<pid_t> start(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, command[0]);
  Fd from_child(ends[0]);
  Fd to_parent(ends[1]);
  // Signals that come between fork and the handlers must wait, or this process would end alone.
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);
  // Where SIGCHLD was inherited as ignored, the exit status would be lost (wait(2)).
  struct sigaction standard {};
  struct sigaction on_child {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &on_child);
  pid_t pid = fork();
  if (pid < 0) {
    int error = errno;
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    return fail_errno(error, command[0]);
  }
  if (pid == 0) {
    sigaction(SIGCHLD, &on_child, nullptr);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    become(command, to_parent.get());
  }
  program = pid;
  pass_signals_on(mask);
  to_parent.reset();
  int exec_error = 0;
  ssize_t got = 0;
  do {
    got = read(from_child.get(), &exec_error, sizeof exec_error);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof exec_error)) {
    waitpid(pid, nullptr, 0);
    pass_nothing_on();
    return fail(exec_error == ENOENT ? Errc::not_found : Errc::no_permission, "{}: {}", command[0],
                std::strerror(exec_error));
  }
  return pid;
}

}  // namespace

Result<Ended> hold(const std::vector<std::string>& command,
                   const std::function<void(pid_t)>& started) {
  int64_t begin = monotonic_ns();
  auto pid = start(command);
  if (!pid) return tl::unexpected(pid.error());
  started(*pid);

  int status = 0;
  rusage usage{};
  while (true) {
    pid_t waited = wait4(*pid, &status, WUNTRACED, &usage);
    if (waited < 0 && errno == EINTR) continue;
    if (waited < 0) return fail_errno(errno, command[0]);
    if (!WIFSTOPPED(status)) break;
    stop_too(WSTOPSIG(status));
  }
  pass_nothing_on();
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
