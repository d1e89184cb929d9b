// tacho run: runs a training, has its tree recorded, exits as it did, and sums up.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/diagnosing.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "recorder/control.h"
#include "recorder/loop.h"
#include "recording/reader.h"
#include "render/diagnosis.h"
#include "render/number.h"
#include "run/holder.h"

namespace tacho::cli {
namespace {

using nlohmann::json;

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

volatile sig_atomic_t recorder_stop = 0;

/// The recorder of a run that found none: a process of its own, in a session of its own, so that
/// neither the terminal nor the holder's end reaches it; it ends with the program.
void start_recorder(const std::string& folder, pid_t watched) {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; stream < 3; ++stream)
    dup2(nothing, stream);
  struct sigaction action {};
  action.sa_handler = [](int) { recorder_stop = 1; };
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2}) {
    sigaction(signal, &action, nullptr);
  }
  RecorderOptions options;
  options.folder = folder;
  options.writer.interval_ns = kSecond;
  options.watch_pids.push_back(static_cast<uint64_t>(watched));
  auto loop = RecorderLoop::open(Machine::live(), options);
  if (loop) {
    // A holder that was killed tells nobody: the recorder ends some time after the program has.
    int64_t gone_ns = 0;
    auto stop = [&] {
      bool alive = kill(watched, 0) == 0 || errno == EPERM;
      if (alive) gone_ns = 0;
      if (!alive && gone_ns == 0) gone_ns = monotonic_ns();
      return recorder_stop != 0 || (!alive && monotonic_ns() - gone_ns > 5 * kSecond);
    };
    (void)(*loop)->run(
        stop, [] {}, [](const std::string&) {});
  }
  _exit(0);
}

/// Where the run is recorded.
struct Recorded {
  std::string folder;
  bool own = false;  ///< by a recorder of this run
};

/// A running recorder watches the tree too; where there is none, or it does not obey, this run gets
/// one, in a folder of its own under the user's.
Recorded have_recorded(const std::optional<std::string>& dir, pid_t pid) {
  std::string folder = folder_to_read(dir);
  json request{{"command", "watch"}, {"pid", pid}};
  auto answer = ask_recorder(folder, request.dump());
  json parsed = answer ? json::parse(*answer, nullptr, false) : json();
  if (parsed.is_object() && parsed.value("ok", false)) return {folder, false};
  std::string own = folder_to_write(dir);
  if (!dir)
    own += "/runs/" + local_time(realtime_ns(), "%Y-%m-%d-%H%M%S") + fmt::format("-{}", pid);
  start_recorder(own, pid);
  return {own, true};
}

void wait_for_end(const Recorded& recorded) {
  if (!recorded.own) return;
  auto answer = ask_recorder(recorded.folder, R"({"command":"stop"})");
  json parsed = answer ? json::parse(*answer, nullptr, false) : json();
  if (!parsed.is_object()) return;
  auto pid = static_cast<pid_t>(parsed.value("pid", 0));
  for (int64_t end = monotonic_ns() + 5 * kSecond; pid > 0 && monotonic_ns() < end; usleep(5000)) {
    if (kill(pid, 0) != 0) return;
  }
}

void sum_up(const Ended& ended, const Recorded& recorded, int64_t from_ns, int64_t to_ns) {
  std::string how = ended.signal != 0 ? fmt::format("ended by signal {} ({})", ended.signal,
                                                    strsignal(ended.signal))
                                      : fmt::format("exit code {}", ended.code);
  note("run", fmt::format("{} after {}; CPU {} user, {} system; largest process {}", how,
                          format_seconds(ended.seconds), format_seconds(ended.user_seconds),
                          format_seconds(ended.system_seconds),
                          format_bytes(static_cast<double>(ended.max_rss_kib) * 1024)));
  auto thresholds = load_thresholds();
  auto result = thresholds ? diagnose_recording(recorded.folder, {from_ns, to_ns}, *thresholds)
                           : Result<Diagnosed>(tl::unexpected(thresholds.error()));
  if (!result) {
    note("run", "no verdict: " + result.error().what);
    return;
  }
  const Diagnosis& d = result->diagnosis;
  std::string verdict = verdict_text(d, 1000, Palette(false));
  std::string_view rest = verdict;
  std::string_view line;
  while (next_line(rest, line))
    note("run", line);
  note("run", fmt::format("recorded in {}: tacho why --dir {} --from {} --to {}", recorded.folder,
                          recorded.folder, from_ns / kSecond, to_ns / kSecond + 1));
}

}  // namespace

int run(int argc, char** argv) {
  std::optional<std::string> dir;
  bool quiet = false;
  // What follows the program's name is the program's, options too.
  int first = 1;
  while (first < argc && argv[first][0] == '-' && std::string_view(argv[first]) != "--") {
    bool takes_value = std::string_view(argv[first]) == "--dir";
    first += takes_value ? 2 : 1;
  }
  int own = std::min(first, argc);
  if (first < argc && std::string_view(argv[first]) == "--") ++first;
  Arguments args("run", "Runs a program, records its tree, exits with its exit code, sums up.");
  args.value("--dir", dir, "DIR", "record there instead of the usual folder");
  args.flag("-q,--quiet", quiet, "no summary at the end");
  args.epilogue("tacho run [--] CMD...: the program's options follow its name.");
  if (auto code = args.parse(own, argv)) return *code;
  if (first >= argc) return usage_error("run", "which program? tacho run [--] CMD...");
  std::vector<std::string> command(argv + first, argv + argc);

  int64_t from = realtime_ns();
  Recorded recorded;
  auto ended = hold(command, [&](pid_t pid) { recorded = have_recorded(dir, pid); });
  if (!ended) {
    note("run", ended.error().what);
    return ended.error().code == Errc::not_found ? kNotFound : kNotExecutable;
  }
  int64_t to = realtime_ns();
  wait_for_end(recorded);
  if (!quiet) sum_up(*ended, recorded, from, to);
  return ended->code;
}

}  // namespace tacho::cli
