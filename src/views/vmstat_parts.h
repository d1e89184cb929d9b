// What the lines of vmstat have in common.
#pragma once

#include <initializer_list>
#include <string>

#include "sample/value.h"
#include "views/vmstat.h"

namespace tacho::vmstat_parts {

/// Right-aligned fields, a space between. A value wider than its field pushes the next ones only as
/// far as they have no room to give, so that columns neither run together nor stay shifted.
class FieldLine {
 public:
  void add(const std::string& text, int width);
  [[nodiscard]] const std::string& text() const { return line_; }

 private:
  std::string line_;
  int excess_ = 0;  ///< columns by which the line is longer than its fields
};

/// Without a fraction; "-" where absent.
[[nodiscard]] std::string whole(Number value);
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
