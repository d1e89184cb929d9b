// tacho capture: this machine's sources as files, for bug reports and tests.
#include "collect/capture.h"

#include <signal.h>

#include <ctime>

#include "base/clock.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "host/machine.h"
#include "render/number.h"

namespace tacho::cli {
namespace {

constexpr uint64_t kMost = 10'000;

void print_summary(const CaptureSummary& summary, const std::string& folder) {
  print(fmt::format("{}: {} files, {}\n", folder, summary.files,
                    format_bytes(static_cast<double>(summary.bytes))));
  for (const std::string& line : summary.unreadable)
    note("capture", "not read: " + line);
}

}  // namespace

int capture(int argc, char** argv) {
  std::vector<std::string> words;
  std::optional<std::string> count_text;
  std::optional<std::string> interval_text;
  Arguments args("capture",
                 "Copies what tacho reads of this machine into DIR, readable with --root DIR.");
  args.words("DIR", words, 1, 1);
  args.value("--count", count_text, "N", "that many moments: DIR/1, DIR/2 …");
  args.value("--interval", interval_text, "TIME", "between them: 1s");
  args.epilogue(
      "Command lines have their secrets masked; environments and file names are not copied.");
  if (auto code = args.parse(argc, argv)) return *code;
  uint64_t count = 1;
  if (count_text) {
    auto number = parse_u64(*count_text);
    if (!number || *number < 1 || *number > kMost)
      return usage_error("capture", "--count " + *count_text + ": no number from 1 to 10000");
    count = *number;
  }
  int64_t interval = kSecond;
  if (interval_text) {
    auto ns = parse_duration(*interval_text);
    if (!ns || *ns < 1)
      return usage_error("capture", "--interval " + *interval_text + ": no time; write 1s");
    interval = *ns;
  }
  auto machine = Machine::live();
  int64_t due = monotonic_ns();
  for (uint64_t i = 1; i <= count; ++i) {
    if (i > 1) {
      due += interval;
      timespec until{due / kSecond, due % kSecond};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    }
    std::string folder = count_text ? fmt::format("{}/{}", words[0], i) : words[0];
    auto summary = tacho::capture(*machine, folder);
    if (!summary) return failed("capture", summary.error());
    print_summary(*summary, folder);
  }
  return kDone;
}

}  // namespace tacho::cli
