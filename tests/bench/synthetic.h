// An invented recording of any length, made of one true sample of this machine: what it counts goes
// on at plausible rates, some of its processes work, the others sleep.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace tacho::bench {

/// Writes `seconds` samples, 1 s apart, the last of them about now, into the new recording
/// `folder`. At most `processes` processes are in each.
[[nodiscard]] Result<void> write_synthetic(const std::string& folder, uint64_t seconds,
                                           size_t processes);

}  // namespace tacho::bench
