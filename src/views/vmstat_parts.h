// What the lines of vmstat have in common.
#pragma once

#include <initializer_list>
#include <string>

#include "sample/value.h"
#include "views/vmstat.h"

namespace tacho::vmstat_parts {

/// Of parts that this kernel has; absent where one of the others is.
[[nodiscard]] Number sum(std::initializer_list<Number> parts);
[[nodiscard]] Number scaled(Number value, double factor);
[[nodiscard]] double unit_of(const VmstatOptions& options);
/// The original cuts off what does not fill a unit.
[[nodiscard]] Number whole_units(Number value);

inline constexpr const char* kTimeGroup = " -----timestamp-----";
/// Under kTimeGroup: the zone in the header, the time in a line.
[[nodiscard]] std::string zone(int64_t realtime_ns);
[[nodiscard]] std::string time_of(int64_t realtime_ns);

}  // namespace tacho::vmstat_parts
