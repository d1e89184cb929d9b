// tacho vmstat: the original's grammar, messages and exit codes, live or over a recording.
#include "views/vmstat.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/classic/feed.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "render/palette.h"

namespace tacho::cli {
namespace {

std::string usage() {
  return std::string(R"(
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

)") + kClassicUsage +
         R"(
 -h, --help     display this help and exit
 -V, --version  output version information and exit
)";
}

struct Job {
  VmstatOptions view;
  bool one_header = false;
  bool statistics = false;
  bool disk = false;
  bool no_first = false;
  ClassicOptions classic;
  int64_t delay = 0;   ///< seconds; 0: not given
  int64_t count = -1;  ///< -1: for ever
};

/// The original's exit code for all that goes wrong is 1.
int complain(const std::string& message, bool with_usage = false) {
  return cli::complain("vmstat", message, kFailed, with_usage ? usage() : "");
}

/// Nothing: go on; otherwise the exit code.
std::optional<int> parse_options(int argc, char** argv, Job& job) {
  static const auto kLong = with_classic_options({{"active", no_argument, nullptr, 'a'},
                                                  {"one-header", no_argument, nullptr, 'n'},
                                                  {"stats", no_argument, nullptr, 's'},
                                                  {"disk", no_argument, nullptr, 'd'},
                                                  {"unit", required_argument, nullptr, 'S'},
                                                  {"wide", no_argument, nullptr, 'w'},
                                                  {"timestamp", no_argument, nullptr, 't'},
                                                  {"no-first", no_argument, nullptr, 'y'},
                                                  {"help", no_argument, nullptr, 'h'},
                                                  {"version", no_argument, nullptr, 'V'}});
  opterr = 0;
  optind = 1;
  for (int c = 0; (c = getopt_long(argc, argv, ":ansdS:wtyhV", kLong.data(), nullptr)) != -1;) {
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
        print(usage().substr(1));
        return kDone;
      case 'V':
        print("vmstat from tacho, as procps-ng 4.0.2\n");
        return kDone;
      default:
        if (!job.classic.take(c, optarg)) return complain(option_fault(c, argv), true);
    }
  }
  return std::nullopt;
}

std::optional<int> parse_operands(int argc, char** argv, Job& job) {
  if (argc - optind > 2) {
    std::string text = usage();
    (void)!write(STDERR_FILENO, text.data(), text.size());
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
    if (job_.classic.json) {
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
  void disks(const Sample& sample) {
    if (job_.classic.json) {
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

int print_statistics(const Job& job) {
  auto sample = one_sample(job.classic, vmstat_selection());
  if (!sample) return complain(sample.error().what);
  print(job.classic.json ? to_string(vmstat_statistics_json(**sample, job.view)) + "\n"
                         : vmstat_statistics(**sample, job.view));
  return kDone;
}

int print_lines(const Job& job) {
  FeedOptions wanted;
  wanted.selection = job.disk ? vmstat_disk_selection() : vmstat_selection();
  wanted.delay_ns = job.delay * kSecond;
  auto feed = WindowFeed::open(job.classic, wanted);
  if (!feed) return complain(feed.error().what);
  Printer printer(job);
  // Without a count, of the machine one line is wanted, of a recording all.
  int64_t left = job.classic.recorded() && job.delay == 0 ? -1 : job.count;
  for (bool first = true; left != 0; first = false) {
    auto window = feed->next();
    if (!window) return complain(window.error().what);
    if (!*window) break;
    if (first && job.no_first) continue;
    job.disk ? printer.disks((*window)->end()) : printer.window(**window);
    if (left > 0) --left;
  }
  return kDone;
}

}  // namespace

int vmstat(int argc, char** argv) {
  Job job;
  if (auto code = parse_options(argc, argv, job)) return *code;
  if (auto code = parse_operands(argc, argv, job)) return *code;
  return job.statistics ? print_statistics(job) : print_lines(job);
}

}  // namespace tacho::cli
