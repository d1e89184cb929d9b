#include "views/column.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace tacho {

ViewCell fixed_cell(Number value, int digits) {
  return {format_fixed(value, digits), to_json(value)};
}

ViewCell whole_cell(Number value, bool cut) {
  if (value && cut) value = std::floor(*value);
  return {format_fixed(value, 0), to_json(value)};
}

ViewCell text_cell(std::string_view text) {
  if (text.empty()) return {kAbsentText, nullptr};
  return {escape_control(text), std::string(text)};
}

}  // namespace tacho
