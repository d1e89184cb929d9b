// tacho iostat: the original's grammar, messages and exit codes, live or over a recording.
#include "views/iostat/iostat.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>

#include "base/text.h"
#include "cli/classic/feed.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace tacho::cli {
namespace {

std::string usage() {
  return std::string(
             "Usage: iostat [ options ] [ <interval> [ <count> ] ]\n"
             "Options are:\n"
             "[ -c ] [ -d ] [ -h ] [ -k | -m | -G ] [ -N ] [ -s ] [ -t ] [ -V ] [ -x ] [ -y ]\n"
             "[ -z ]\n"
             "[ --compact ] [ --dec={ 0 | 1 | 2 } ] [ --human ] [ --pretty ] [ -o JSON ]\n"
             "[ [ -H ] -g <group_name> ] [ -p [ <device> [,...] | ALL ] ]\n"
             "[ --raw-util ] [ <device> [...] | ALL ]\n") +
         kClassicUsage;
}

struct Job {
  IostatOptions view;
  ClassicOptions classic;
  bool only_cpu = false;
  bool only_disk = false;
  bool document = false;    ///< -o JSON
  bool skip_first = false;  ///< -y
  int64_t interval = 0;     ///< seconds; 0: one report
  int64_t count = -1;       ///< -1: for ever
};

int wrong_usage() {
  std::string text = usage();
  (void)!write(STDERR_FILENO, text.data(), text.size());
  return kFailed;
}

bool is_number(std::string_view word) {
  return parse_u64(word).has_value();
}

std::string device_of(std::string_view word) {
  if (word.starts_with("/dev/mapper/")) return std::string(word.substr(12));
  return std::string(word.starts_with("/dev/") ? word.substr(5) : word);
}

/// The original parses its words itself, so that options stand among devices.
class Parser {
 public:
  Parser(int argc, char** argv, Job& job) : argc_(argc), argv_(argv), job_(job) {}

  /// Nothing: go on; otherwise the exit code.
  std::optional<int> parse() {
    for (at_ = 1; at_ < argc_; ++at_) {
      std::string_view word = argv_[at_];
      std::optional<int> code;
      if (word.starts_with("--")) {
        code = long_option(word);
      } else if (word.size() > 1 && word.front() == '-') {
        code = letters(word.substr(1));
      } else {
        code = operand(word);
      }
      if (code) return code;
    }
    return finish();
  }

 private:
  /// The next word, if it is one that an option takes.
  const char* next() { return at_ + 1 < argc_ ? argv_[++at_] : nullptr; }

  std::optional<int> long_option(std::string_view word) {
    IostatOptions& v = job_.view;
    if (word == "--human") {
      v.human = true;
    } else if (word == "--pretty") {
      v.pretty = true;
    } else if (word == "--compact") {
      v.compact = true;
    } else if (word == "--raw-util") {
      v.raw_util = true;
    } else if (word == "--dec=0" || word == "--dec=1" || word == "--dec=2") {
      v.digits = word.back() - '0';
    } else if (word == "--help") {
      print(usage());
      return kDone;
    } else if (!job_.classic.take_word(at_, argc_, argv_)) {
      return wrong_usage();
    }
    return std::nullopt;
  }

  std::optional<int> letters(std::string_view word) {
    IostatOptions& v = job_.view;
    for (size_t i = 0; i < word.size(); ++i) {
      bool alone = word.size() == 1;
      switch (word[i]) {
        case 'c':
          job_.only_cpu = true;
          break;
        case 'd':
          job_.only_disk = true;
          break;
        case 'x':
          v.extended = true;
          break;
        case 's':
          v.brief = true;
          break;
        case 't':
          v.timestamp = true;
          break;
        case 'y':
          job_.skip_first = true;
          break;
        case 'z':
          v.omit_idle = true;
          break;
        case 'N':
          v.dm_names = true;
          break;
        case 'H':
          v.only_groups = true;
          break;
        case 'h':
          v.human = v.pretty = true;
          break;
        case 'k':
          v.unit = 1024;
          break;
        case 'm':
          v.unit = 1024 * 1024;
          break;
        case 'G':
          v.unit = 1024 * 1024 * 1024;
          break;
        case 'V':
          print("iostat from tacho, as sysstat version 12.7.9\n");
          return kDone;
        case 'p':
          if (!alone) return wrong_usage();
          return partitions();
        case 'g': {
          const char* name = alone ? next() : nullptr;
          if (name == nullptr) return wrong_usage();
          v.entries.push_back({true, name, false});
          break;
        }
        case 'o': {
          const char* format = alone ? next() : nullptr;
          if (format == nullptr || std::string_view(format) != "JSON") return wrong_usage();
          job_.document = true;
          break;
        }
        default:
          return wrong_usage();
      }
    }
    return std::nullopt;
  }

  /// -p, -p ALL, -p sda,sdb.
  std::optional<int> partitions() {
    IostatOptions& v = job_.view;
    bool named = at_ + 1 < argc_ && argv_[at_ + 1][0] != '-' && !is_number(argv_[at_ + 1]);
    if (!named) {
      v.used_partitions = true;
      return std::nullopt;
    }
    for (std::string_view name : split(next(), ',')) {
      if (name == "ALL") {
        v.all_partitions = true;
      } else {
        v.entries.push_back({false, device_of(name), true});
      }
    }
    return std::nullopt;
  }

  std::optional<int> operand(std::string_view word) {
    if (!is_number(word)) {
      if (word == "ALL") {
        job_.view.all = true;
      } else {
        job_.view.entries.push_back({false, device_of(word), false});
      }
      return std::nullopt;
    }
    auto number = static_cast<int64_t>(*parse_u64(word));
    if (!has_interval_) {
      has_interval_ = true;
      if (number > INT32_MAX) return wrong_usage();
      job_.interval = number;
    } else if (job_.count < 0) {
      if (number < 1 || job_.interval == 0) return wrong_usage();
      job_.count = number;
    } else {
      return wrong_usage();
    }
    return std::nullopt;
  }

  std::optional<int> finish() {
    IostatOptions& v = job_.view;
    bool names_devices = !v.entries.empty();
    if (job_.only_cpu || job_.only_disk) {
      v.cpu = job_.only_cpu;
      v.disk = job_.only_disk;
    }
    if (v.only_groups && !names_devices) return wrong_usage();
    if (!has_interval_) job_.count = 1;
    if (has_interval_ && job_.interval == 0) job_.count = 1;
    const char* format = std::getenv("S_TIME_FORMAT");
    v.iso_time = format != nullptr && std::string_view(format) == "ISO";
    if (std::getenv("POSIXLY_CORRECT") != nullptr && v.unit == 1024) v.unit = 512;
    return std::nullopt;
  }

  int argc_;
  char** argv_;
  Job& job_;
  int at_ = 1;
  bool has_interval_ = false;
};

std::atomic<bool> interrupted{false};
void on_interrupt(int) {
  interrupted = true;
}

/// A report per window in one of the three forms.
class Reporter {
 public:
  explicit Reporter(const Job& job) : job_(job) {}
  void begin(const Sample& sample) {
    if (job_.document) print(iostat_document_head(sample, job_.view));
    if (!job_.document && !job_.classic.json) print(iostat_banner(sample, job_.view));
    begun_ = true;
  }
  void report(const Window& window) {
    if (!begun_) begin(window.end());
    if (job_.document) {
      print(iostat_document_report(window, job_.view, first_));
    } else if (job_.classic.json) {
      print(to_string(iostat_json(window, job_.view)) + "\n");
    } else {
      print(iostat_report(window, job_.view));
    }
    first_ = false;
  }
  void end() const {
    if (job_.document && begun_) print(iostat_document_tail());
  }

 private:
  const Job& job_;
  bool begun_ = false;
  bool first_ = true;
};

}  // namespace

int iostat(int argc, char** argv) {
  Job job;
  if (auto code = Parser(argc, argv, job).parse()) return *code;
  std::setlocale(LC_TIME, "");
  // The document is to be closed, whatever ends it.
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);

  FeedOptions wanted;
  wanted.selection = iostat_selection(job.view);
  wanted.delay_ns = job.interval * kSecond;
  wanted.stop = &interrupted;
  auto feed = WindowFeed::open(job.classic, wanted);
  if (!feed) return complain("iostat", feed.error().what, kFailed);
  Reporter reporter(job);
  // Without an interval one report is wanted of the machine, and all there are of a recording.
  int64_t left = job.classic.recorded() && job.interval == 0 ? -1 : job.count;
  for (bool first = true; left != 0; first = false) {
    auto window = feed->next();
    if (!window) {
      reporter.end();
      return complain("iostat", window.error().what, kFailed);
    }
    if (!*window) break;
    if (first && job.skip_first && job.interval > 0) {
      reporter.begin((*window)->end());
      continue;
    }
    reporter.report(**window);
    if (left > 0) --left;
  }
  reporter.end();
  return kDone;
}

}  // namespace tacho::cli
