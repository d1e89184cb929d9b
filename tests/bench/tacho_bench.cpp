// What scripts/bench measures with: recordings to read, and the clock.
//
//   tacho_bench synthetic DIR SECONDS PROCESSES   writes an invented recording
//   tacho_bench jump DIR                          to random moments of it, in this process
//   tacho_bench cost N -- CMD...                  a command N times: CPU ms, wall ms, resident MB
#include <fcntl.h>
#include <fmt/format.h>
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

int synthetic(const std::string& folder, uint64_t seconds, size_t processes) {
  auto written = write_synthetic(folder, seconds, processes);
  if (!written) {
    fmt::print(stderr, "tacho_bench: {}\n", written.error().what);
    return 1;
  }
  return 0;
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

int cost(uint64_t times, char** argv) {
  std::vector<double> cpu;
  std::vector<double> wall;
  std::vector<double> resident;
  for (uint64_t i = 0; i < times; ++i) {
    int64_t begin = monotonic_ns();
    pid_t child = fork();
    if (child == 0) {
      int nothing = open("/dev/null", O_WRONLY);
      dup2(nothing, STDOUT_FILENO);
      dup2(nothing, STDERR_FILENO);
      execvp(argv[0], argv);
      _exit(127);
    }
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
  if (what == "synthetic" && argc == 5) {
    return bench::synthetic(argv[2], parse_u64(argv[3]).value_or(0),
                            parse_u64(argv[4]).value_or(0));
  }
  if (what == "jump" && argc == 3) return bench::jump(argv[2]);
  if (what == "cost" && argc > 4) return bench::cost(parse_u64(argv[2]).value_or(1), argv + 4);
  fmt::print(stderr,
             "usage: tacho_bench synthetic DIR SECONDS PROCESSES | jump DIR | "
             "cost N -- CMD...\n");
  return 2;
}
