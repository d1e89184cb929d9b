// A stretch of time of which a recording holds nothing though it should, and how it is seen from
// the samples before and after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sample/sample.h"

namespace tacho {

struct Gap {
  int64_t from_ns = 0;  ///< REALTIME; 0 where it is not known
  int64_t to_ns = 0;
  std::string why;  ///< one line: "chunk at byte 4096 of 2026-12-01.seg: checksum does not match"
};

/// "2026-12-01T10:00:00+00:00 to 2026-12-01T10:05:00+00:00 (300 s): the machine was suspended".
[[nodiscard]] std::string describe(const Gap& gap);

/// Those that touch the time from `from_ns` to `to_ns`, and those of which the time is not known.
[[nodiscard]] std::vector<Gap> gaps_within(std::vector<Gap> gaps, int64_t from_ns, int64_t to_ns);

/// Whether the machine was started anew between the two: their counters have nothing in common.
[[nodiscard]] bool other_boot(const Sample& before, const Sample& after);

/// The pace the recorder was told to keep, from the table `recorder`; nothing where it is not
/// there.
[[nodiscard]] std::optional<int64_t> interval_of(const Sample& sample);

/// How far apart two samples of that pace may lie before there is a gap between them: two may be
/// missed, and a second is nothing.
[[nodiscard]] constexpr int64_t longest_step(int64_t interval_ns) {
  return 3 * interval_ns + kSecond;
}

/// What is missing between two samples that follow one another: their numbers tell of samples that
/// were lost, their clocks of a time in which none was taken. BOOTTIME is what counts, so that a
/// clock which is set, forwards or backwards, is no gap, and a suspend is one.
[[nodiscard]] std::optional<Gap> gap_between(const Sample& before, const Sample& after,
                                             int64_t interval_ns);

}  // namespace tacho
