// Lines of fixed-width fields, as the classic commands print them.
#pragma once

#include <string>
#include <string_view>

#include "render/table.h"

namespace tacho {

/// Fields with a space between. A text wider than its field pushes the next ones only as far as
/// they have no room to give, so that columns neither run together nor stay shifted. Text must be
/// safe to print; its width is that on a terminal.
class FieldLine {
 public:
  FieldLine& add(std::string_view text, int width, Align align = Align::right);
  [[nodiscard]] const std::string& text() const { return line_; }

 private:
  std::string line_;
  bool empty_ = true;
  int excess_ = 0;  ///< columns by which the line is longer than its fields
};

}  // namespace tacho
