#include "cli/diagnosing.h"

#include "cli/recorded.h"
#include "collect/live_cursor.h"
#include "recording/reader.h"
#include "schema/host.h"

namespace tacho::cli {
namespace {

Diagnosed conclude(SpanBuilder& builder, const SamplePtr& last, const Thresholds& thresholds) {
  Diagnosed result;
  result.diagnosis = diagnose(builder.finish(), thresholds);
  const Rows* host = last ? last->rows(TableId::host) : nullptr;
  if (host != nullptr && !host->empty()) result.host = host->text(0, schema::host["name"]);
  return result;
}

}  // namespace

Result<Diagnosed> diagnose_recording(const std::string& folder, const Range& range,
                                     const Thresholds& thresholds) {
  auto cursor = open_recording(folder, span_selection());
  if (!cursor) return tl::unexpected(cursor.error());
  SpanBuilder builder(range.to_ns - range.from_ns);
  SamplePtr last;
  auto end = last_number_in(**cursor, range);
  if (!end) return tl::unexpected(end.error());
  // at() gives the sample at or before the beginning: the window that holds it is wanted whole.
  auto sample = (*cursor)->at(range.from_ns);
  for (; sample && *sample && (*sample)->number <= *end; sample = (*cursor)->next()) {
    if ((*sample)->clock.realtime_ns > range.to_ns) continue;
    last = *sample;
    builder.add(*sample);
  }
  if (!sample) return tl::unexpected(sample.error());
  Diagnosed result = conclude(builder, last, thresholds);
  result.gaps = gaps_within((*cursor)->gaps(), range.from_ns, range.to_ns);
  return result;
}

Result<Diagnosed> diagnose_live(const std::vector<std::string>& roots, int seconds,
                                const Thresholds& thresholds) {
  auto machine = Machine::live();
  if (!roots.empty()) {
    auto rooted = Machine::rooted(roots);
    if (!rooted) return tl::unexpected(rooted.error());
    machine = *rooted;
  }
  CollectorOptions options;
  options.first_wait_ns = kSecond / 2;
  auto cursor = open_live(machine, span_selection(), kSecond, options);
  if (!cursor) return tl::unexpected(cursor.error());
  SpanBuilder builder(seconds * kSecond);
  SamplePtr last;
  auto sample = (*cursor)->first();
  for (int i = 0; sample && *sample && (i <= seconds || !machine->is_live()); ++i) {
    last = *sample;
    builder.add(*sample);
    if (i == seconds && machine->is_live()) break;
    sample = (*cursor)->next();
  }
  if (!sample) return tl::unexpected(sample.error());
  return conclude(builder, last, thresholds);
}

}  // namespace tacho::cli
