// What the classic commands have in common: a table of theirs is a list of declared columns, each
// with a title, a width and what it shows of a row. `Row` is what a line is made of: a window, the
// instance's row in it, the options.
#pragma once

#include <span>
#include <string>

#include "render/fields.h"
#include "render/json.h"
#include "render/number.h"

namespace tacho {

/// One cell of a view: as people read it, and as JSON has it (null where it is absent).
struct ViewCell {
  std::string text;
  Json json;
};

/// A figure with `digits` after the point.
[[nodiscard]] ViewCell fixed_cell(Number value, int digits);
/// Whole units, cut off rather than rounded where `cut`.
[[nodiscard]] ViewCell whole_cell(Number value, bool cut = false);
/// Text from outside: escaped for people, as it is for JSON; an empty one is absent.
[[nodiscard]] ViewCell text_cell(std::string_view text);

template <typename Row>
struct ViewColumn {
  const char* title;
  const char* key;  ///< the member in JSON
  int width;
  Align align;
  ViewCell (*of)(const Row& row);
};

template <typename Row>
std::string view_header(std::span<const ViewColumn<Row>> columns) {
  FieldLine line;
  for (const auto& column : columns)
    line.add(column.title, column.width, column.align);
  return line.text();
}

template <typename Row>
std::string view_line(std::span<const ViewColumn<Row>> columns, const Row& row) {
  FieldLine line;
  for (const auto& column : columns)
    line.add(column.of(row).text, column.width, column.align);
  return line.text();
}

/// Adds the members of the row to `json`.
template <typename Row>
void add_json(std::span<const ViewColumn<Row>> columns, const Row& row, Json& json) {
  for (const auto& column : columns)
    json[column.key] = column.of(row).json;
}

}  // namespace tacho
