#include "cli/classic/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace tacho::cli {
namespace {

enum Code : int { kFrom = 1000, kTo, kLast, kAt, kDir, kRoot, kJson };

constexpr option kOptions[] = {
    {"from", required_argument, nullptr, kFrom}, {"to", required_argument, nullptr, kTo},
    {"last", required_argument, nullptr, kLast}, {"at", required_argument, nullptr, kAt},
    {"dir", required_argument, nullptr, kDir},   {"root", required_argument, nullptr, kRoot},
    {"json", no_argument, nullptr, kJson},       {nullptr, 0, nullptr, 0}};

}  // namespace

const char* const kClassicUsage =
    " --from T, --to T, --last D  read the recording; an interval is the step\n"
    " --at T                 the recording at that moment\n"
    " --dir DIR              the recording's folder\n"
    " --root DIR[,DIR...]    the machine in these folders, moment by moment\n"
    " --json                 as JSON\n";

bool ClassicOptions::take(int code, const char* value) {
  switch (code) {
    case kFrom:
      range.from = value;
      return true;
    case kTo:
      range.to = value;
      return true;
    case kLast:
      range.last = value;
      return true;
    case kAt:
      at = value;
      return true;
    case kDir:
      dir = value;
      return true;
    case kRoot:
      root = value;
      return true;
    case kJson:
      json = true;
      return true;
    default:
      return false;
  }
}

bool ClassicOptions::take_word(int& at, int argc, char** argv) {
  std::string_view word = argv[at];
  if (!word.starts_with("--")) return false;
  word.remove_prefix(2);
  size_t equals = word.find('=');
  std::string_view name = word.substr(0, equals);
  for (const option& known : kOptions) {
    if (known.name == nullptr || known.name != name) continue;
    bool joined = equals != std::string_view::npos;
    if (known.has_arg == no_argument) return !joined && take(known.val, nullptr);
    if (joined) return take(known.val, argv[at] + 2 + equals + 1);
    if (at + 1 >= argc) return false;
    return take(known.val, argv[++at]);
  }
  return false;
}

Result<std::shared_ptr<Machine>> ClassicOptions::machine() const {
  if (!root) return Machine::live();
  std::vector<std::string> folders;
  for (std::string_view part : split(*root, ','))
    folders.emplace_back(part);
  return Machine::rooted(std::move(folders));
}

std::vector<option> with_classic_options(std::vector<option> own) {
  own.insert(own.end(), std::begin(kOptions), std::end(kOptions));
  return own;
}

int complain(std::string_view name, std::string_view message, int code, std::string_view usage) {
  std::string text = fmt::format("{}: {}\n{}", name, escape_control(message), usage);
  (void)!write(STDERR_FILENO, text.data(), text.size());
  return code;
}

std::string option_fault(int returned, char** argv) {
  // A short option is told by its letter; of a long one, whose code may be a letter too, only its
  // place in argv is known.
  bool is_short =
      optopt > 0 && optopt < 256 && !std::string_view(argv[optind - 1]).starts_with("--");
  if (returned == ':') {
    return is_short ? fmt::format("option requires an argument -- '{}'", static_cast<char>(optopt))
                    : fmt::format("option '{}' requires an argument", argv[optind - 1]);
  }
  return is_short ? fmt::format("invalid option -- '{}'", static_cast<char>(optopt))
                  : fmt::format("unrecognized option '{}'", argv[optind - 1]);
}

}  // namespace tacho::cli
