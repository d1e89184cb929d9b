// tacho vmstat: the original's grammar, messages and exit codes, live or over a recording.
#include "views/vmstat.h"

#include <fmt/format.h>
#include <getopt.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "cli/range.h"
#include "collect/live_cursor.h"
#include "recording/reader.h"
#include "render/palette.h"

namespace tacho::cli {
namespace {

constexpr const char* kUsage = R"(
Usage:
 vmstat [options] [delay [count]]

Options:
 -a, --active           active/inactive memory
 -n, --one-header       do not redisplay header
 -s, --stats            event counter statistics
 -d, --disk             disk statistics
 -S, --unit <char>      define display unit
 -w, --wide             wide output
 -t, --timestamp        show timestamp
 -y, --no-first         skips first line of output

 --from T, --to T       read the recording; delay is then the step between lines
 --at T                 the line of that moment
 --dir DIR              the recording's folder
 --json                 one JSON object per line

 -h, --help     display this help and exit
 -V, --version  output version information and exit
)";

struct Job {
  VmstatOptions view;
  bool one_header = false;
  bool statistics = false;
  bool disk = false;
  bool no_first = false;
  bool json = false;
  RangeWords range;
  std::optional<std::string> at;
  std::optional<std::string> dir;
  int64_t delay = 0;   ///< seconds; 0: not given
  int64_t count = -1;  ///< -1: for ever
};

/// The original's words: its name before the message, exit code 1.
int complain(const std::string& message, bool usage = false) {
  std::string line = "vmstat: " + escape_control(message) + "\n";
  if (usage) line += kUsage;
  (void)!write(STDERR_FILENO, line.data(), line.size());
  return kFailed;
}

/// Nothing: go on; otherwise the exit code.
std::optional<int> parse_options(int argc, char** argv, Job& job) {
  enum : int { kFrom = 256, kTo, kAt, kDir, kJson, kLast };
  static const option kLong[] = {{"active", no_argument, nullptr, 'a'},
                                 {"one-header", no_argument, nullptr, 'n'},
                                 {"stats", no_argument, nullptr, 's'},
                                 {"disk", no_argument, nullptr, 'd'},
                                 {"unit", required_argument, nullptr, 'S'},
                                 {"wide", no_argument, nullptr, 'w'},
                                 {"timestamp", no_argument, nullptr, 't'},
                                 {"no-first", no_argument, nullptr, 'y'},
                                 {"help", no_argument, nullptr, 'h'},
                                 {"version", no_argument, nullptr, 'V'},
                                 {"from", required_argument, nullptr, kFrom},
                                 {"to", required_argument, nullptr, kTo},
                                 {"at", required_argument, nullptr, kAt},
                                 {"last", required_argument, nullptr, kLast},
                                 {"dir", required_argument, nullptr, kDir},
                                 {"json", no_argument, nullptr, kJson},
                                 {nullptr, 0, nullptr, 0}};
  opterr = 0;
  optind = 1;
  for (int c = 0; (c = getopt_long(argc, argv, ":ansdS:wtyhV", kLong, nullptr)) != -1;) {
    switch (c) {
      case 'a':
        job.view.active = true;
        break;
      case 'n':
        job.one_header = true;
        break;
      case 's':
        job.statistics = true;
        break;
      case 'd':
        job.disk = true;
        break;
      case 'w':
        job.view.wide = true;
        break;
      case 't':
        job.view.timestamp = true;
        break;
      case 'y':
        job.no_first = true;
        break;
      case 'S': {
        if (!vmstat_unit(optarg[0])) {
          return complain("-S requires k, K, m or M (default is KiB)");
        }
        job.view.unit = optarg[0];
        break;
      }
      case 'h':
        print(kUsage + 1);
        return kDone;
      case 'V':
        print("vmstat from tacho, as procps-ng 4.0.2\n");
        return kDone;
      case kFrom:
        job.range.from = optarg;
        break;
      case kTo:
        job.range.to = optarg;
        break;
      case kLast:
        job.range.last = optarg;
        break;
      case kAt:
        job.at = optarg;
        break;
      case kDir:
        job.dir = optarg;
        break;
      case kJson:
        job.json = true;
        break;
      case ':':
        return complain(optopt < 256
                            ? fmt::format("option requires an argument -- '{}'", char(optopt))
                            : fmt::format("option '{}' requires an argument", argv[optind - 1]),
                        true);
      default:
        return complain(optopt > 0 && optopt < 256
                            ? fmt::format("invalid option -- '{}'", char(optopt))
                            : fmt::format("unrecognized option '{}'", argv[optind - 1]),
                        true);
    }
  }
  return std::nullopt;
}

std::optional<int> parse_operands(int argc, char** argv, Job& job) {
  if (argc - optind > 2) {
    std::string usage(kUsage);
    (void)!write(STDERR_FILENO, usage.data(), usage.size());
    return kFailed;
  }
  if (optind < argc) {
    auto delay = parse_i64(argv[optind]);
    if (!delay) return complain(fmt::format("failed to parse argument: '{}'", argv[optind]), true);
    if (*delay < 1) return complain("delay must be positive integer");
    if (*delay > UINT32_MAX) return complain("too large delay value");
    job.delay = *delay;
  }
  if (optind + 1 < argc) {
    auto count = parse_i64(argv[optind + 1]);
    if (!count)
      return complain(fmt::format("failed to parse argument: '{}'", argv[optind + 1]), true);
    job.count = std::max<int64_t>(*count, 1);
  } else if (job.delay == 0) {
    job.count = 1;
  }
  return std::nullopt;
}

/// Prints lines with a header as often as the original does: once a screen.
class Printer {
 public:
  explicit Printer(const Job& job)
      : job_(job), height_(std::max<size_t>(terminal_height(STDOUT_FILENO), 4)) {}

  void window(const Window& window) {
    if (job_.json) {
      print(to_string(vmstat_json(window, job_.view)) + "\n");
      return;
    }
    std::string out;
    if (printed_ == 0 || (!job_.one_header && printed_ % (height_ - 3) == 0)) {
      out = vmstat_header(job_.view, window.end().clock.realtime_ns);
    }
    ++printed_;
    print(out + vmstat_line(window, job_.view));
  }
  void statistics(const Sample& sample) const {
    print(job_.json ? to_string(vmstat_statistics_json(sample, job_.view)) + "\n"
                    : vmstat_statistics(sample, job_.view));
  }
  void disks(const Sample& sample) {
    if (job_.json) {
      print(to_string(vmstat_disk_json(sample)) + "\n");
      return;
    }
    std::string out;
    if (printed_ == 0 || !job_.one_header)
      out = vmstat_disk_header(job_.view, sample.clock.realtime_ns);
    ++printed_;
    print(out + vmstat_disk_lines(sample, job_.view));
  }

 private:
  const Job& job_;
  size_t height_;
  size_t printed_ = 0;
};

Selection selection_of(const Job& job) {
  return job.disk ? vmstat_disk_selection() : vmstat_selection();
}

int live(const Job& job) {
  auto cursor =
      open_live(Machine::live(), selection_of(job), std::max<int64_t>(job.delay, 1) * kSecond);
  if (!cursor) return complain(cursor.error().what);
  Printer printer(job);
  auto sample = (*cursor)->first();
  if (!sample) return complain(sample.error().what);
  if (job.statistics) {
    printer.statistics(**sample);
    return kDone;
  }
  SamplePtr before = *sample;
  int64_t left = job.count;
  // Skipping the first line without a delay, there must be something to wait for: a second.
  if (!job.no_first) {
    job.disk ? printer.disks(*before) : printer.window(Window::since_boot(before));
    if (left > 0) --left;
  }
  while (left != 0) {
    sample = (*cursor)->next();
    if (!sample && sample.error().code == Errc::busy) continue;  // a signal; it was no end
    if (!sample) return complain(sample.error().what);
    job.disk ? printer.disks(**sample) : printer.window(Window(before, *sample));
    before = *sample;
    if (left > 0) --left;
  }
  return kDone;
}

int recorded(const Job& job) {
  std::string folder = folder_to_read(job.dir);
  auto held = describe_recording(folder);
  if (!held) return complain(held.error().what);
  RangeWords words = job.range;
  if (job.at) words.from = words.to = job.at;
  auto range = parse_range(words, realtime_ns(), {held->from_ns, held->to_ns});
  if (!range) return complain(range.error().what);
  auto cursor = open_recording(folder, selection_of(job));
  if (!cursor) return complain(cursor.error().what);
  Printer printer(job);
  auto sample = (*cursor)->at(range->from_ns);
  // The first line is of the window before, so a sample more is needed in front.
  SamplePtr first = sample ? *sample : nullptr;
  auto earlier = first ? (*cursor)->previous() : sample;
  SamplePtr before = earlier && *earlier ? *earlier : first;
  if (earlier && *earlier) sample = (*cursor)->next();
  if (!before) return complain(folder + " holds no samples");
  if (job.statistics) {
    printer.statistics(*first);
    return kDone;
  }
  if (before == first) sample = (*cursor)->next();
  int64_t left = job.delay == 0 && job.count == 1 ? -1 : job.count;
  int64_t step = job.delay * kSecond;
  while (left != 0 && sample && *sample) {
    const Sample& now = **sample;
    // A range that ends at the moment itself (--at) still has that one line.
    if (now.clock.realtime_ns > range->to_ns && now.number != first->number) break;
    bool due = now.clock.monotonic_ns - before->clock.monotonic_ns >= step - step / 10 ||
               now.number == first->number;
    if (due) {
      job.disk ? printer.disks(now) : printer.window(Window(before, *sample));
      before = *sample;
      if (left > 0) --left;
    }
    sample = (*cursor)->next();
  }
  if (!sample) return complain(sample.error().what);
  return kDone;
}

}  // namespace

int vmstat(int argc, char** argv) {
  Job job;
  if (auto code = parse_options(argc, argv, job)) return *code;
  if (auto code = parse_operands(argc, argv, job)) return *code;
  bool from_recording = job.range.given() || job.at || job.dir;
  return from_recording ? recorded(job) : live(job);
}

}  // namespace tacho::cli
