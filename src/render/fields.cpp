#include "render/fields.h"

#include <algorithm>

#include "render/width.h"

namespace tacho {

FieldLine& FieldLine::add(std::string_view text, int width, Align align) {
  if (!empty_) line_ += ' ';
  empty_ = false;
  int taken = static_cast<int>(display_width(text));
  int room = std::max(width - excess_, taken);
  excess_ = excess_ - width + room;
  std::string blanks(static_cast<size_t>(room - taken), ' ');
  if (align == Align::right) line_ += blanks;
  line_ += text;
  if (align == Align::left) line_ += blanks;
  return *this;
}

}  // namespace tacho
