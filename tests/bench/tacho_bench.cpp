// What scripts/bench measures with: recordings to read, and the clock.
//
//   tacho_bench load PROCESSES CONNECTIONS      until standard input is closed
//   tacho_bench synthetic SOURCE DIR SECONDS    a long recording; says when it ends
//   tacho_bench jump DIR                        to random moments of it, in this process
//   tacho_bench cost N -- CMD...                CMD N times, medians: CPU ms, wall ms, MiB
//   tacho_bench watch WARM SECONDS -- CMD...    CMD for WARM + SECONDS: of the latter CPU ms, of
//                                               its end resident MiB
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "load.h"
#include "recording/reader.h"
#include "synthetic.h"

namespace tacho::bench {
namespace {

double ms(int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

int synthetic(const std::string& source, const std::string& folder, uint64_t seconds) {
  auto end = write_synthetic(source, folder, seconds);
  if (!end) {
    fmt::print(stderr, "tacho_bench: {}\n", end.error().what);
    return 1;
  }
  fmt::print("{}\n", *end);
  return 0;
}

int load(uint64_t processes, uint64_t connections) {
  if (hold_load(static_cast<int>(processes), static_cast<int>(connections))) return 0;
  fmt::print(stderr, "tacho_bench: the load cannot be made: {}\n", strerror(errno));
  return 1;
}

/// The files of the recording leave the page cache.
void forget(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    auto fd = open_file(entry.path().string(), O_RDONLY);
    if (fd) posix_fadvise(fd->get(), 0, 0, POSIX_FADV_DONTNEED);
  }
}

int jump(const std::string& folder) {
  auto held = describe_recording(folder);
  if (!held) {
    fmt::print(stderr, "tacho_bench: {}\n", held.error().what);
    return 1;
  }
  sync();
  std::mt19937_64 random(2);
  std::vector<double> cold;
  std::vector<double> warm;
  std::vector<double> on;
  auto span = static_cast<uint64_t>(held->to_ns - held->from_ns);
  for (int i = 0; i < 40; ++i) {
    int64_t moment = held->from_ns + static_cast<int64_t>(random() % span);
    forget(folder);
    for (auto* figures : {&cold, &warm}) {
      int64_t begin = monotonic_ns();
      auto cursor = open_recording(folder, Selection::all());
      if (!cursor || !*(*cursor)->at(moment)) return 1;
      figures->push_back(ms(monotonic_ns() - begin));
      if (figures == &cold) continue;
      begin = monotonic_ns();
      if (!*(*cursor)->at(held->from_ns + static_cast<int64_t>(random() % span))) return 1;
      on.push_back(ms(monotonic_ns() - begin));
    }
  }
  fmt::print("{:.1f} {:.1f} {:.1f}\n", middle(cold), middle(warm), middle(on));
  return 0;
}

pid_t start(char** argv) {
  pid_t child = fork();
  if (child != 0) return child;
  int nothing = open("/dev/null", O_RDWR);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(nothing, stream);
  execvp(argv[0], argv);
  _exit(127);
}

/// MiB that a process has in memory, shared pages too.
double resident(pid_t pid) {
  auto text = read_file(fmt::format("/proc/{}/statm", pid));
  if (!text) return 0;
  std::string_view rest = *text;
  next_field(rest);
  auto pages = parse_u64(next_field(rest)).value_or(0);
  return static_cast<double>(pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))) / 1048576;
}

int watch(uint64_t warm, uint64_t seconds, char** argv) {
  pid_t child = start(argv);
  clockid_t clock{};
  auto ran_ns = [&] {
    timespec t{};
    clock_gettime(clock, &t);
    return t.tv_sec * kSecond + t.tv_nsec;
  };
  sleep(static_cast<unsigned>(warm));
  if (child < 0 || clock_getcpuclockid(child, &clock) != 0) return 1;
  int64_t before = ran_ns();
  sleep(static_cast<unsigned>(seconds));
  int64_t used = ran_ns() - before;
  double memory = resident(child);
  kill(child, SIGINT);
  int status = 0;
  if (waitpid(child, &status, 0) != child || used < 0 || memory == 0) {
    fmt::print(stderr, "tacho_bench: {} did not run that long\n", argv[0]);
    return 1;
  }
  fmt::print("{:.3f} {:.1f}\n", ms(used), memory);
  return 0;
}

int cost(uint64_t times, char** argv) {
  std::vector<double> cpu;
  std::vector<double> wall;
  std::vector<double> resident;
  for (uint64_t i = 0; i < times; ++i) {
    int64_t begin = monotonic_ns();
    pid_t child = start(argv);
    int status = 0;
    rusage use{};
    if (child < 0 || wait4(child, &status, 0, &use) != child) return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
      fmt::print(stderr, "tacho_bench: cannot run {}\n", argv[0]);
      return 1;
    }
    wall.push_back(ms(monotonic_ns() - begin));
    cpu.push_back(static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
                  static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3);
    resident.push_back(static_cast<double>(use.ru_maxrss) / 1024);
  }
  fmt::print("{:.2f} {:.2f} {:.1f}\n", middle(cpu), middle(wall), middle(resident));
  return 0;
}

}  // namespace
}  // namespace tacho::bench

int main(int argc, char** argv) {
  using namespace tacho;
  std::string_view what = argc > 1 ? argv[1] : "";
  auto number = [&](int i) { return parse_u64(argv[i]).value_or(0); };
  if (what == "load" && argc == 4) return bench::load(number(2), number(3));
  if (what == "synthetic" && argc == 5) return bench::synthetic(argv[2], argv[3], number(4));
  if (what == "jump" && argc == 3) return bench::jump(argv[2]);
  if (what == "cost" && argc > 4) return bench::cost(number(2), argv + 4);
  if (what == "watch" && argc > 5) return bench::watch(number(2), number(3), argv + 5);
  fmt::print(stderr,
             "usage: tacho_bench load PROCESSES CONNECTIONS | synthetic SOURCE DIR SECONDS |\n"
             "       jump DIR | cost N -- CMD... | watch WARM SECONDS -- CMD...\n");
  return 2;
}
