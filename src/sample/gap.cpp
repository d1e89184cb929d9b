#include "sample/gap.h"

#include <fmt/format.h>

#include "schema/host.h"
#include "schema/recorder.h"

namespace tacho {

std::string describe(const Gap& gap) {
  if (gap.from_ns == 0 && gap.to_ns == 0) return gap.why;
  auto seconds = static_cast<double>(gap.to_ns - gap.from_ns) / 1e9;
  return fmt::format("{} to {} ({:.0f} s): {}", rfc3339(gap.from_ns), rfc3339(gap.to_ns), seconds,
                     gap.why);
}

std::vector<Gap> gaps_within(std::vector<Gap> gaps, int64_t from_ns, int64_t to_ns) {
  std::erase_if(gaps, [&](const Gap& gap) {
    bool known = gap.from_ns != 0 || gap.to_ns != 0;
    return known && (gap.to_ns < from_ns || gap.from_ns > to_ns);
  });
  return gaps;
}

bool other_boot(const Sample& before, const Sample& after) {
  if (after.clock.boottime_ns < before.clock.boottime_ns) return true;
  const Rows* a = before.rows(TableId::host);
  const Rows* b = after.rows(TableId::host);
  if (a == nullptr || b == nullptr || a->empty() || b->empty()) return false;
  Column boot_id = schema::host["boot_id"];
  return a->at(0, boot_id) && b->at(0, boot_id) && a->text(0, boot_id) != b->text(0, boot_id);
}

std::optional<int64_t> interval_of(const Sample& sample) {
  const Rows* rows = sample.rows(TableId::recorder);
  if (rows == nullptr || rows->empty()) return std::nullopt;
  Number seconds = rows->number(0, schema::recorder["interval"]);
  if (!seconds || *seconds <= 0 || *seconds > 86400) return std::nullopt;
  return static_cast<int64_t>(*seconds * 1e9);
}

std::optional<Gap> gap_between(const Sample& before, const Sample& after, int64_t interval_ns) {
  Gap gap{before.clock.realtime_ns, after.clock.realtime_ns, ""};
  if (after.number > before.number + 1) {
    uint64_t missing = after.number - before.number - 1;
    gap.why = missing == 1 ? fmt::format("sample {} is missing", before.number + 1)
                           : fmt::format("samples {} to {} are missing", before.number + 1,
                                         after.number - 1);
    return gap;
  }
  bool reboot = other_boot(before, after);
  int64_t active = after.clock.monotonic_ns - before.clock.monotonic_ns;
  int64_t passed = after.clock.boottime_ns - before.clock.boottime_ns;
  if (!reboot && passed <= longest_step(interval_ns)) return std::nullopt;
  if (reboot) {
    gap.why = "the machine was started anew";
  } else if (passed - active > passed / 2) {
    gap.why = "the machine was suspended";
  } else if (after.late_ns > passed / 2) {
    gap.why = "the recorder was held up";
  } else {
    gap.why = "no recorder was running";
  }
  return gap;
}

}  // namespace tacho
