// A recording of any length made of a short real one: its samples, 1 s apart, over and over. Clocks
// go on, and counters go on from where they were: each repetition adds what the whole source had
// added to them.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace tacho::bench {

/// Writes `seconds` samples, the last of them about now, into the new recording `folder`, as a
/// recorder would. Gives when it ends, in seconds since 1970.
[[nodiscard]] Result<int64_t> write_synthetic(const std::string& source, const std::string& folder,
                                              uint64_t seconds);

}  // namespace tacho::bench
