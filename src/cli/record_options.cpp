#include "cli/record_options.h"

#include "base/clock.h"
#include "base/text.h"

namespace tacho::cli {

Result<int64_t> parse_interval(std::string_view text) {
  auto ns = parse_duration(text);
  if (!ns) return fail(Errc::invalid, "{}: no time; write 10s or 500ms", text);
  if (*ns < 100 * kMillisecond || *ns > 3600 * kSecond) {
    return fail(Errc::invalid, "{}: from 100ms to 1h", text);
  }
  return *ns;
}

Result<Retention> parse_retention(std::string_view text, Retention keep) {
  for (std::string_view part : split(text, ',')) {
    auto age = parse_duration(part);
    bool bare = parse_u64(part).has_value();
    if (auto size = parse_size(part); size && (bare || !age)) {
      keep.max_bytes = *size;
    } else if (age) {
      keep.max_age_ns = *age;
    } else {
      return fail(Errc::invalid, "{}: '{}' is neither a size (1GiB) nor an age (30d)", text, part);
    }
  }
  return keep;
}

}  // namespace tacho::cli
