// tacho run: runs a training, has its tree recorded, exits as it did, and sums up.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
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
#include "render/text.h"
#include "run/holder.h"
#include "run/launcher.h"

namespace tacho::cli {
namespace {

using nlohmann::json;

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

volatile sig_atomic_t recorder_stop = 0;

/// Records until the program has ended; for a process of its own.
void record_run(const std::string& folder, pid_t watched) {
  RecorderOptions options;
  options.folder = folder;
  options.writer.interval_ns = kSecond;
  options.watch_pids.push_back(static_cast<uint64_t>(watched));
  options.own_session = true;
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
  return {own, true};
}

/// Leaves everything of the holder's behind but `report`: its terminal, streams, descriptors that
/// somebody may wait on to be closed, and the handlers that pass signals on.
void detach(Fd& report) {
  setsid();
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < SIGRTMIN; ++signal)
    sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM})
    sigaction(signal, &action, nullptr);
  action.sa_handler = [](int) { recorder_stop = 1; };
  sigaction(SIGTERM, &action, nullptr);
  report = Fd(fcntl(report.get(), F_DUPFD_CLOEXEC, 3));
  int nothing = open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3; ++stream)
    dup2(nothing, stream);
  auto kept = static_cast<unsigned>(report.get());
  if (kept > 3) close_range(3, kept - 1, 0);
  close_range(kept + 1, ~0U, 0);
}

/// Starts the process that has the tree recorded, and is the recorder where none runs. Whatever it
/// has to wait for (a recorder that hangs, a slow disk), the holder does not. Returns where it will
/// report the folder; -1 where there is none.
Fd start_companion(const std::optional<std::string>& dir, pid_t watched) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return Fd();
  Fd from_companion(ends[0]);
  Fd report(ends[1]);
  pid_t between = fork();
  if (between > 0) waitpid(between, nullptr, 0);
  if (between != 0) return from_companion;
  if (fork() != 0) _exit(0);
  detach(report);
  Recorded recorded = have_recorded(dir, watched);
  (void)write_all(report.get(), (recorded.own ? "+" : "-") + recorded.folder);
  report.reset();
  if (recorded.own) record_run(recorded.folder, watched);
  _exit(0);
}

/// What the companion reported; an empty folder where it has not within a second.
Recorded reported(const Fd& from_companion) {
  std::string text;
  std::array<char, 4096> bytes;
  for (int64_t end = monotonic_ns() + kSecond; from_companion && monotonic_ns() < end;) {
    pollfd polled{from_companion.get(), POLLIN, 0};
    if (poll(&polled, 1, 100) <= 0) continue;
    ssize_t got = read(from_companion.get(), bytes.data(), bytes.size());
    if (got > 0) text.append(bytes.data(), static_cast<size_t>(got));
    if (got == 0 && !text.empty()) return {text.substr(1), text[0] == '+'};
    if (got == 0) break;
  }
  return {};
}

/// Asks the run's own recorder to take its last sample and end; of a program that was shorter than
/// the recorder's start it may not listen yet.
json ask_to_stop(const std::string& folder) {
  for (int64_t end = monotonic_ns() + kSecond; monotonic_ns() < end; usleep(5000)) {
    auto answer = ask_recorder(folder, R"({"command":"stop"})");
    if (answer) return json::parse(*answer, nullptr, false);
    if (answer.error().code != Errc::not_found) break;
  }
  return {};
}

void wait_for_end(const Recorded& recorded) {
  if (!recorded.own) return;
  json parsed = ask_to_stop(recorded.folder);
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
  if (recorded.folder.empty()) {
    note("run", "no verdict: the recorder did not answer in time");
    return;
  }
  auto config = load_config();
  auto result = config ? diagnose_recording(recorded.folder, {from_ns, to_ns}, config->thresholds)
                       : Result<Diagnosed>(tl::unexpected(config.error()));
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
  Fd from_companion;
  auto ended = hold(command, [&](pid_t pid) { from_companion = start_companion(dir, pid); });
  if (!ended) {
    note("run", ended.error().what);
    return ended.error().code == Errc::not_found ? kNotFound : kNotExecutable;
  }
  int64_t to = realtime_ns();
  Recorded recorded = reported(from_companion);
  wait_for_end(recorded);
  if (quiet) return ended->code;
  sum_up(*ended, recorded, from, to);
  Launch launch = classify(command);
  if (!launch.note.empty()) note("run", to_text(launch.note));
  return ended->code;
}

}  // namespace tacho::cli
