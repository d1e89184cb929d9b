#include "render/field_lines.h"

#include <algorithm>

#include "render/width.h"

namespace tacho {
namespace {

size_t width_of(std::string_view text) {
  unsigned char all = 0;
  for (char c : text)
    all = static_cast<unsigned char>(all | static_cast<unsigned char>(c));
  return all < 0x80 ? text.size() : display_width(text);
}

}  // namespace

FieldLines::FieldLines(std::vector<Field> fields) : fields_(std::move(fields)) {
  for (const Field& field : fields_)
    widths_.push_back(std::max(static_cast<size_t>(field.width), width_of(field.title)));
}

void FieldLines::measure(size_t column, std::string_view cell) {
  widths_[column] = std::max(widths_[column], width_of(cell));
}

void FieldLines::put_titles(std::string& out) const {
  for (size_t column = 0; column < fields_.size(); ++column)
    put(column, fields_[column].title, out);
}

void FieldLines::put(size_t column, std::string_view cell, std::string& out) const {
  const Field& field = fields_[column];
  if (column > 0) out += ' ';
  size_t blanks = widths_[column] - std::min(widths_[column], width_of(cell));
  if (field.align == Align::right) out.append(blanks, ' ');
  out += cell;
  if (field.align == Align::left && !field.open) out.append(blanks, ' ');
  if (column + 1 == fields_.size()) out += '\n';
}

}  // namespace tacho
