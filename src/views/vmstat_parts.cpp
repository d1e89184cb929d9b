#include "views/vmstat_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "render/number.h"

namespace tacho::vmstat_parts {

Number sum(std::initializer_list<Number> parts) {
  double total = 0;
  for (const Number& part : parts) {
    if (part.absent == Absent::not_supported) continue;
    if (!part) return part;
    total += *part;
  }
  return total;
}

Number scaled(Number value, double factor) {
  return value ? Number(*value * factor) : value;
}

double unit_of(const VmstatOptions& options) {
  return static_cast<double>(vmstat_unit(options.unit).value_or(1024));
}
Number whole_units(Number value) {
  return value ? Number(std::floor(*value)) : value;
}

std::string zone(int64_t realtime_ns) {
  return fmt::format(" {:>19}", local_time(realtime_ns, "%Z"));
}

std::string time_of(int64_t realtime_ns) {
  return " " + local_time(realtime_ns, "%Y-%m-%d %H:%M:%S");
}

}  // namespace tacho::vmstat_parts
