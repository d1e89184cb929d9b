#include "cli/classic/top_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>

#include "base/clock.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "host/users.h"

namespace tacho::cli {
namespace {

enum Code : int { kFields = 2000 };

constexpr int64_t kUsualDelay = 3 * kSecond;
constexpr int64_t kShortestDelay = 10 * kMillisecond;

std::string usage() {
  return std::string(R"(
Usage:
 top [options]

Options:
 -b, --batch-mode                run in non-interactive batch mode
 -c, --cmdline-toggle            show command lines
 -d, --delay =SECS [.TENTHS]     iterative delay as SECS [.TENTHS]
 -E, --scale-summary-mem =SCALE  set mem as: k,m,g,t,p,e for SCALE
 -e, --scale-task-mem =SCALE     set mem with: k,m,g,t,p for SCALE
 -H, --threads-show              show tasks plus all their threads
 -i, --idle-toggle               leave idle tasks out
 -n, --iterations =NUMBER        exit on maximum iterations NUMBER
 -O, --list-fields               output all field names, then exit
 -o, --sort-override =FIELD      force sorting on this named FIELD
 -p, --pid =PIDLIST              monitor only the tasks in PIDLIST
 -S, --accum-time-toggle         times with those of ended children
 -s, --secure-mode               run with secure mode restrictions
 -U, --filter-any-user =USER     show only processes owned by USER
 -u, --filter-only-euser =USER   show only processes owned by USER
 -w, --width [=COLUMNS]          change print width [,use COLUMNS]
 -1, --single-cpu-toggle         show each CPU
 --fields FIELD,...|ALL          the fields to show

)") + kClassicUsage +
         R"(
 -h, --help                      display this help text, then exit
 -V, --version                   output version information & exit
)";
}

int fault(std::string_view message) {
  return complain("top", message, kFailed);
}

/// strtol's integers below INT_MAX, and nothing beside.
std::optional<long> parse_whole(const char* text) {
  char* end = nullptr;
  long value = strtol(text, &end, 0);
  if (end == text || *end != '\0' || value >= INT_MAX) return std::nullopt;
  return value;
}

/// With a point or a comma.
std::optional<double> parse_seconds(std::string text) {
  std::ranges::replace(text, ',', '.');
  char* end = nullptr;
  double value = strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(value < INT_MAX)) return std::nullopt;
  return value;
}

class Parser {
 public:
  Parser(int argc, char** argv, TopJob& job) : argc_(argc), argv_(argv), job_(job) {}

  std::optional<int> run() {
    static const auto kLong =
        with_classic_options({{"batch-mode", no_argument, nullptr, 'b'},
                              {"cmdline-toggle", no_argument, nullptr, 'c'},
                              {"delay", required_argument, nullptr, 'd'},
                              {"scale-summary-mem", required_argument, nullptr, 'E'},
                              {"scale-task-mem", required_argument, nullptr, 'e'},
                              {"threads-show", no_argument, nullptr, 'H'},
                              {"help", no_argument, nullptr, 'h'},
                              {"idle-toggle", no_argument, nullptr, 'i'},
                              {"iterations", required_argument, nullptr, 'n'},
                              {"list-fields", no_argument, nullptr, 'O'},
                              {"sort-override", required_argument, nullptr, 'o'},
                              {"pid", required_argument, nullptr, 'p'},
                              {"accum-time-toggle", no_argument, nullptr, 'S'},
                              {"secure-mode", no_argument, nullptr, 's'},
                              {"filter-any-user", required_argument, nullptr, 'U'},
                              {"filter-only-euser", required_argument, nullptr, 'u'},
                              {"version", no_argument, nullptr, 'V'},
                              {"width", optional_argument, nullptr, 'w'},
                              {"single-cpu-toggle", no_argument, nullptr, '1'},
                              {"fields", required_argument, nullptr, kFields}});
    opterr = 0;
    optind = 1;
    const char* letters = ":bcd:E:e:Hhin:Oo:p:SsU:u:Vw::1";
    for (int c = 0; (c = getopt_long(argc_, argv_, letters, kLong.data(), nullptr)) != -1;) {
      if (job_.classic.take(c, optarg)) continue;
      if (c == '?' || c == ':') return complain("top", option_fault(c, argv_), kDone);
      if (!take_value(c)) return fault(fmt::format("-{} argument missing", static_cast<char>(c)));
      if (auto code = take(c)) return code;
      if (value_ != nullptr) return fault(fmt::format("unknown option '{}'", value_));
    }
    if (optind < argc_) return fault(fmt::format("unknown option '{}'", argv_[optind]));
    return finish();
  }

 private:
  /// The original takes the next word for any option, unless it begins with '-', and lets a '='
  /// stand before it. False where after the '=' there is nothing.
  bool take_value(int code) {
    value_ = optarg;
    if (code == kFields) return true;
    if (value_ == nullptr && optind < argc_ && argv_[optind][0] != '-') value_ = argv_[optind++];
    if (value_ == nullptr) return true;
    if (*value_ == '=') ++value_;
    if (*value_ == '\0') value_ = optind < argc_ ? argv_[optind++] : nullptr;
    return value_ != nullptr;
  }

  /// The value, which then is no longer left over.
  const char* use() { return std::exchange(value_, nullptr); }

  std::optional<int> take(int code) {
    switch (code) {
      case 'b':
        job_.batch = true;
        break;
      case 'c':
        job_.view.command_line = !job_.view.command_line;
        break;
      case 'H':
        job_.view.threads = true;
        break;
      case 'i':
        job_.view.busy_only = !job_.view.busy_only;
        break;
      case 'S':
        job_.view.family_time = !job_.view.family_time;
        break;
      case 's':
        secure_ = true;
        break;
      case '1':
        job_.view.each_cpu = !job_.view.each_cpu;
        break;
      case 'h':
        print(usage().substr(1));
        return kDone;
      case 'V':
        print("top from tacho, as procps-ng 4.0.2\n");
        return kDone;
      case 'O':
        for (std::string_view name : top_field_names())
          print(std::string(name) + "\n");
        return kDone;
      default:
        return take_with_value(code, code == 'w' ? value_ : use());
    }
    return std::nullopt;
  }

  std::optional<int> take_with_value(int code, const char* value) {
    switch (code) {
      case 'd':
        return take_delay(value);
      case 'n': {
        auto frames = parse_whole(value);
        if (!frames || *frames < 1)
          return fault(fmt::format("bad iterations argument '{}'", value));
        job_.frames = *frames;
        return std::nullopt;
      }
      case 'E':
        return take_unit(value, kTopUnits, job_.view.summary_unit);
      case 'e':
        return take_unit(value, kTopUnits.substr(0, 5), job_.view.task_unit);
      case 'o':
        return take_sort(value);
      case 'p':
        return take_pids(value);
      case 'u':
      case 'U':
        return take_user(value, code == 'U');
      case 'w':
        return take_width();
      default:
        return take_fields(value);
    }
  }

  std::optional<int> take_delay(const char* value) {
    auto delay = parse_seconds(value);
    if (!delay) return fault(fmt::format("bad delay interval '{}'", value));
    if (*delay < 0) return fault("-d requires positive argument");
    delay_ns_ = std::max<int64_t>(std::llround(*delay * 1e9), kShortestDelay);
    return std::nullopt;
  }

  static std::optional<int> take_unit(const char* value, std::string_view units, int& unit) {
    std::string_view word = value;
    size_t at = word.size() == 1 ? units.find(static_cast<char>(word[0] | 0x20)) : units.npos;
    if (at == units.npos) return fault(fmt::format("bad memory scaling arg '{}'", value));
    unit = static_cast<int>(at);
    return std::nullopt;
  }

  std::optional<int> take_sort(const char* value) {
    if (*value == '+' || *value == '-') job_.view.ascending = *value++ == '-';
    job_.view.sort = find_top_field(value);
    if (job_.view.sort == nullptr) return fault(fmt::format("unrecognized field name '{}'", value));
    return std::nullopt;
  }

  std::optional<int> take_fields(std::string_view value) {
    auto names = value == "ALL" ? top_field_names() : split(value, ',');
    for (std::string_view name : names) {
      const TopField* field = find_top_field(name);
      if (field == nullptr) return fault(fmt::format("unrecognized field name '{}'", name));
      job_.view.fields.push_back(field);
    }
    return std::nullopt;
  }

  std::optional<int> take_pids(std::string_view value) {
    if (job_.view.user) return fault("conflicting process selections (U/p/u)");
    std::vector<uint64_t>& pids = job_.view.pids;
    for (std::string_view rest = value; !rest.empty();) {
      if (pids.size() >= kTopMostPids) {
        return fault(fmt::format("pid limit ({}) exceeded", kTopMostPids));
      }
      size_t comma = rest.find(',');
      auto pid = parse_u64(rest.substr(0, comma));
      if (!pid) return fault(fmt::format("bad pid '{}'", rest));
      if (*pid == 0) pid = static_cast<uint64_t>(getpid());
      if (std::ranges::find(pids, *pid) == pids.end()) pids.push_back(*pid);
      rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    }
    return std::nullopt;
  }

  std::optional<int> take_user(std::string_view value, bool any) {
    if (job_.view.user || !job_.view.pids.empty()) {
      return fault("conflicting process selections (U/p/u)");
    }
    TopUser user;
    user.any = any;
    user.others = value.starts_with('!');
    if (user.others) value.remove_prefix(1);
    if (value.empty()) return std::nullopt;
    user.name = value;
    user.uid = parse_u64(value);
    job_.view.user = user;
    return std::nullopt;
  }

  std::optional<int> take_width() {
    const char* value = use();
    job_.wide = true;
    job_.width = 0;
    if (value == nullptr) return std::nullopt;
    auto width = parse_whole(value);
    if (!width || *width < static_cast<long>(kTopLeast) || *width > static_cast<long>(kTopMost)) {
      return fault(fmt::format("bad width arg '{}'", value));
    }
    job_.width = static_cast<size_t>(*width);
    return std::nullopt;
  }

  std::optional<int> finish() {
    if (delay_ns_ && secure_) return fault("-d disallowed in \"secure\" mode");
    job_.delay_ns = delay_ns_.value_or(job_.classic.recorded() ? 0 : kUsualDelay);
    // Who a name was on the machine of a recording, only the recording knows.
    if (!job_.view.user || job_.view.user->uid || job_.classic.recorded()) return std::nullopt;
    auto machine = job_.classic.machine();
    if (!machine) return fault(machine.error().what);
    job_.view.user->uid = find_user(job_.view.user->name, **machine);
    if (!job_.view.user->uid) return fault("Invalid user");
    return std::nullopt;
  }

  int argc_;
  char** argv_;
  TopJob& job_;
  const char* value_ = nullptr;
  bool secure_ = false;
  std::optional<int64_t> delay_ns_;
};

}  // namespace

std::optional<int> parse_top_options(int argc, char** argv, TopJob& job) {
  return Parser(argc, argv, job).run();
}

}  // namespace tacho::cli
