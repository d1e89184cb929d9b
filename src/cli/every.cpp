#include "cli/every.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "render/palette.h"
#include "render/width.h"

namespace tacho::cli {
namespace {

constexpr std::string_view kOption = "--every";

/// One run in a process of its own: getopt and all else begin anew.
Result<int> run_once(const Command& command, int argc, char** argv, std::string& out) {
  int ends[2];
  if (pipe(ends) != 0) return fail_errno(errno, "cannot make a pipe");
  Fd reading(ends[0]);
  Fd writing(ends[1]);
  pid_t pid = fork();
  if (pid < 0) return fail_errno(errno, "cannot start a process");
  if (pid == 0) {
    dup2(writing.get(), STDOUT_FILENO);
    reading.reset();
    writing.reset();
    exit(command.run(argc, argv));
  }
  writing.reset();
  out.clear();
  char buffer[65536];
  for (ssize_t n = 0; (n = read(reading.get(), buffer, sizeof buffer)) != 0;) {
    if (n > 0) out.append(buffer, static_cast<size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// What fits on the screen, under watch's title.
std::string screen(const std::string& title, const std::string& out) {
  size_t width = terminal_width(STDOUT_FILENO);
  size_t height = terminal_height(STDOUT_FILENO);
  std::string right =
      escape_control(host_name()) + ": " + local_time(realtime_ns(), "%a %b %e %H:%M:%S %Y");
  size_t left = width > display_width(right) + 1 ? width - display_width(right) - 1 : 0;
  std::string text = "\x1b[H" + pad_right(fit(title, left), left) + " " + fit(right, width - left);
  text += "\x1b[K\n\x1b[K";
  size_t lines = 2;
  for (std::string_view rest = out; !rest.empty() && lines < height; ++lines) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    text += "\n" + fit(line, width) + "\x1b[K";
  }
  return text + "\x1b[J";
}

}  // namespace

Result<std::optional<int64_t>> take_every(int& argc, char** argv) {
  std::optional<int64_t> every;
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--";) {
    std::string_view word = argv[i];
    bool apart = word == kOption;
    if (!apart && !(word.starts_with(kOption) && word.substr(kOption.size()).starts_with('='))) {
      ++i;
      continue;
    }
    if (apart && i + 1 == argc) return fail(Errc::invalid, "--every needs a number of seconds");
    int taken = apart ? 2 : 1;
    std::string_view value = apart ? argv[i + 1] : word.substr(kOption.size() + 1);
    auto seconds = parse_fixed(value, 9);
    if (!seconds || *seconds < kSecond / 10) {
      return fail(Errc::invalid, "--every {}: not a number of seconds, 0.1 or more", value);
    }
    every = *seconds;
    std::copy(argv + i + taken, argv + argc + 1, argv + i);
    argc -= taken;
  }
  return every;
}

int run_every(const Command& command, int argc, char** argv, int64_t every_ns) {
  bool on_terminal = isatty(STDOUT_FILENO) != 0;
  if (on_terminal) setenv("COLUMNS", std::to_string(terminal_width(STDOUT_FILENO)).c_str(), 1);
  std::string title = fmt::format("Every {:.1f}s: tacho", static_cast<double>(every_ns) / kSecond);
  for (int i = 0; i < argc; ++i)
    title += " " + escape_control(argv[i]);
  std::string out;
  int64_t due = monotonic_ns();
  for (bool first = true;; first = false) {
    auto code = run_once(command, argc, argv, out);
    if (!code) return failed(command.name, code.error());
    bool ended_badly = first && (*code == kFailed || *code == kWrongUsage) && out.empty();
    if (ended_badly) return *code;
    print(on_terminal ? (first ? "\x1b[2J" : "") + screen(title, out) : out);
    due = std::max(due + every_ns, monotonic_ns() - every_ns);
    timespec until{due / kSecond, due % kSecond};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
  }
}

}  // namespace tacho::cli
