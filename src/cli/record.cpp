// tacho record: the black box, in the foreground or the background.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "cli/record_options.h"
#include "cli/systemd.h"
#include "recorder/loop.h"

namespace tacho::cli {
namespace {

volatile sig_atomic_t stop_signal = 0;
void on_stop(int signal) {
  stop_signal = signal;
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop;  // its coming ends the wait for the next sample
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &action, nullptr);
  sigaction(SIGPIPE, &action, nullptr);
}

/// Goes on in a process of its own, without a terminal. Returns in that process the end of a pipe
/// on which to say how the start went; the first process waits for it and ends.
Fd into_background(const std::string& folder) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) _exit(failed("record", std::strerror(errno)));
  pid_t child = fork();
  if (child < 0) _exit(failed("record", std::strerror(errno)));
  if (child > 0) {
    close(ends[1]);
    std::string said;
    std::array<char, 1024> bytes;
    for (ssize_t got = 0; (got = read(ends[0], bytes.data(), bytes.size())) != 0;) {
      if (got > 0) said.append(bytes.data(), static_cast<size_t>(got));
      if (got < 0 && errno != EINTR) break;
    }
    if (said.starts_with("ok")) {
      print("recording into " + folder + "\n");
      _exit(kDone);
    }
    _exit(failed("record", said.empty() ? "the recorder ended before its first sample" : said));
  }
  setsid();
  if (fork() > 0) _exit(0);
  // The folder may lie on what others want to unmount; the recorder holds only what it records.
  (void)!chdir("/");
  int nothing = open("/dev/null", O_RDWR);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(nothing, stream);
  if (nothing > STDERR_FILENO) close(nothing);
  return Fd(ends[1]);
}

/// What a recorder in the background has to say goes into a file that cannot grow for ever.
void say_to_log(const std::string& folder, const std::string& line) {
  std::string path = folder + "/recorder.log";
  struct stat status {};
  bool large = stat(path.c_str(), &status) == 0 && status.st_size > 1 << 20;
  auto fd = open_file(path, O_WRONLY | O_CREAT | O_APPEND | (large ? O_TRUNC : 0));
  if (fd) (void)write_all(fd->get(), rfc3339(realtime_ns()) + " " + line + "\n");
}

int run_loop(const RecorderOptions& options, std::shared_ptr<Machine> machine, bool background) {
  const std::string folder = options.folder;
  Fd started;
  if (background) started = into_background(folder);
  auto give_up = [&](const Error& error) {
    if (!background) return failed("record", error);
    (void)write_all(started.get(), error.what);
    return kFailed;
  };
  catch_signals();
  auto loop = RecorderLoop::open(std::move(machine), options);
  if (!loop) return give_up(loop.error());
  RecorderLoop::Hooks hooks;
  hooks.stop = [] { return stop_signal != 0; };
  hooks.on_first = [&] {
    if (background) {
      (void)write_all(started.get(), "ok");
      started.reset();
    } else {
      note("record", "recording into " + folder);
    }
    tell_systemd(ready_text(options.writer.interval_ns, std::getenv("WATCHDOG_USEC")));
  };
  hooks.on_sample = [] { tell_systemd("WATCHDOG=1"); };
  hooks.say = [&](const std::string& line) {
    if (background) {
      say_to_log(folder, line);
    } else {
      note("record", line);
    }
  };
  auto ended = (*loop)->run(hooks);
  tell_systemd("STOPPING=1");
  return ended ? kDone : give_up(ended.error());
}

}  // namespace

int record(int argc, char** argv) {
  bool background = false;
  std::optional<std::string> interval;
  std::optional<std::string> retain;
  std::optional<std::string> dir;
  std::optional<std::string> duration;
  std::optional<std::string> pid;
  std::optional<std::string> cgroup;
  std::optional<std::string> root;
  Arguments args("record", "Records this machine until it is stopped.");
  args.flag("-b,--background", background, "go on in the background; returns when it records");
  args.value("--interval", interval, "TIME", "between samples: 10s (the default), down to 100ms");
  args.value("--retain", retain, "SIZE,AGE", "keep at most that: 1GiB (the default), 500MB,30d");
  args.value("--duration", duration, "TIME", "stop after that time");
  args.value("--pid", pid, "PID", "the process to watch, with its descendants");
  args.value("--cgroup", cgroup, "PATH", "the control group to watch");
  args.value("--dir", dir, "DIR", "the recording's folder");
  args.value("--root", root, "DIR,DIR", "record the machine in these folders, once each");
  if (auto code = args.parse(argc, argv)) return *code;

  auto config = load_config();
  if (!config) return failed("record", config.error());
  RecorderOptions options;
  options.folder = folder_to_write(dir);
  if (options.folder.empty() || options.folder.front() != '/') {
    std::array<char, 4096> here;
    if (getcwd(here.data(), here.size()) != nullptr) {
      options.folder = std::string(here.data()) + "/" + options.folder;
    }
  }
  options.writer.group_readable = is_system_folder(options.folder);
  options.writer.interval_ns = config->interval_ns;
  options.writer.retention = config->retention;
  if (interval) {
    auto ns = parse_interval(*interval);
    if (!ns) return usage_error("record", "--interval " + ns.error().what);
    options.writer.interval_ns = *ns;
  }
  if (retain) {
    auto keep = parse_retention(*retain, config->retention);
    if (!keep) return usage_error("record", "--retain " + keep.error().what);
    options.writer.retention = *keep;
  }
  if (duration) {
    auto ns = parse_duration(*duration);
    if (!ns || *ns <= 0) return usage_error("record", "--duration " + *duration + ": no time");
    options.duration_ns = *ns;
  }
  if (pid) {
    auto number = parse_u64(*pid);
    if (!number) return usage_error("record", "--pid " + *pid + ": no process id");
    options.watch_pids.push_back(*number);
  }
  if (cgroup) options.watch_cgroups.push_back(*cgroup);
  options.own_session = background;
  // What the shell had open would stay so: somebody may wait for the end of a pipe.
  if (background) close_range(STDERR_FILENO + 1, ~0U, 0);
  umask(options.writer.group_readable ? 0027 : 0077);
  auto machine = Machine::live();
  if (root) {
    std::vector<std::string> roots;
    for (std::string_view part : split(*root, ','))
      roots.emplace_back(part);
    auto rooted = Machine::rooted(std::move(roots));
    if (!rooted) return failed("record", rooted.error());
    machine = *rooted;
  }
  return run_loop(options, std::move(machine), background);
}

}  // namespace tacho::cli
