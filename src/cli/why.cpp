// tacho why: the procedure walked, the verdict, its evidence, what to do.
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/diagnosing.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "cli/recorded.h"
#include "recording/reader.h"
#include "render/diagnosis.h"

namespace tacho::cli {
namespace {

constexpr int64_t kDefaultSpan = 300 * kSecond;
constexpr int kLiveSeconds = 10;

struct Choice {
  std::optional<Range> range;  ///< of the recording; none: the machine as it is
  std::string why_live;        ///< why not the recording
};

/// What the words ask for. A recording that nobody named may be missing or not be this user's.
Result<Choice> choose(const RangeWords& words, const std::string& folder, bool named) {
  int64_t now = realtime_ns();
  auto held = describe_recording(folder);
  if (!held) {
    bool can_do_without = held.error().code == Errc::not_found ||
                          (held.error().code == Errc::no_permission && !named);
    if (words.given() || !can_do_without) return tl::unexpected(held.error());
    return Choice{{}, held.error().what};
  }
  if (words.given()) {
    auto range = parse_range(words, now, {held->from_ns, held->to_ns});
    if (!range) return tl::unexpected(range.error());
    return Choice{*range, ""};
  }
  // Only a recording that is still being written says something of now.
  bool recent = held->samples >= 2 && now - held->to_ns < 60 * kSecond;
  if (!recent) return Choice{{}, "no recent recording in " + folder};
  return Choice{Range{std::max(held->from_ns, held->to_ns - kDefaultSpan), held->to_ns}, ""};
}

int exit_code(const Diagnosis& diagnosis, const std::optional<std::string>& fail_on) {
  if (!fail_on) return kDone;
  bool critical = *fail_on == "critical";
  for (const Finding& finding : diagnosis.findings) {
    if (finding.severity == Severity::critical ||
        (!critical && finding.severity == Severity::warning)) {
      return kFound;
    }
  }
  return kDone;
}

}  // namespace

int why(int argc, char** argv) {
  RangeWords words;
  bool as_json = false;
  std::optional<std::string> dir;
  std::optional<std::string> fail_on;
  std::optional<std::string> root;
  Arguments args("why", "Walks the five steps and says why training is slow, with proof.");
  words.declare(args);
  args.value("--dir", dir, "DIR", "the recording's folder");
  args.value("--root", root, "DIR,DIR", "the machine in these folders instead of this one");
  args.value("--fail-on", fail_on, "LEVEL", "exit code 3 on a finding of warning or critical");
  args.flag("--json", as_json, "as JSON (tacho.why/1)");
  args.epilogue("Without a range: the last 5 minutes if they are recorded, else 10 s from now.");
  if (auto code = args.parse(argc, argv)) return *code;
  if (fail_on && *fail_on != "warning" && *fail_on != "critical") {
    return usage_error("why", "--fail-on " + *fail_on + ": warning or critical");
  }
  auto config = load_config();
  if (!config) return failed("why", config.error());
  const Thresholds& thresholds = config->thresholds;

  Result<Diagnosed> result = fail(Errc::not_found, "nothing to look at");
  if (root) {
    std::vector<std::string> roots;
    for (std::string_view part : split(*root, ','))
      roots.emplace_back(part);
    result = diagnose_live(roots, 0, thresholds);
  } else {
    std::string folder = folder_to_read(dir);
    auto choice = choose(words, folder, dir.has_value());
    if (!choice) return failed("why", choice.error());
    if (choice->range) {
      result = diagnose_recording(folder, *choice->range, thresholds);
    } else {
      note("why", choice->why_live + ": sampling for 10 s");
      result = diagnose_live({}, kLiveSeconds, thresholds);
    }
  }
  if (!result) return failed("why", result.error());
  note_gaps("why", result->gaps);
  if (as_json) {
    print(to_string(to_json(result->diagnosis, result->host, result->gaps), 2) + "\n");
  } else {
    print(to_text(result->diagnosis, terminal_width(STDOUT_FILENO),
                  Palette(wants_colour(STDOUT_FILENO))));
  }
  return exit_code(result->diagnosis, fail_on);
}

}  // namespace tacho::cli
