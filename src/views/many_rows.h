// Declared columns for views of very many rows: a cell is appended to a text instead of being made
// by itself, and lines go out as they come.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/field_lines.h"

namespace tacho {

/// Where the text of a view goes, piece by piece.
using TextSink = std::function<void(std::string_view text)>;

template <typename Row>
struct ManyRowsColumn {
  const char* title;
  int width;
  Align align;
  /// Appends the cell, safe to print.
  void (*put)(const Row& row, std::string& out);
  bool open = false;  ///< see Field
};

/// Titles and a line for each row. `for_each` is called twice: it shows all rows to what it is
/// given.
template <typename Row, typename ForEach>
void write_rows(std::span<const ManyRowsColumn<Row>> columns, const ForEach& for_each,
                const TextSink& sink) {
  constexpr size_t kPiece = 64 * 1024;
  std::vector<Field> fields;
  for (const auto& column : columns)
    fields.push_back({column.title, column.width, column.align, column.open});
  FieldLines lines(std::move(fields));
  std::string cell;
  for_each([&](const Row& row) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].open) continue;
      cell.clear();
      columns[i].put(row, cell);
      lines.measure(i, cell);
    }
  });
  std::string out;
  lines.put_titles(out);
  for_each([&](const Row& row) {
    for (size_t i = 0; i < columns.size(); ++i) {
      cell.clear();
      columns[i].put(row, cell);
      lines.put(i, cell, out);
    }
    if (out.size() < kPiece) return;
    sink(out);
    out.clear();
  });
  sink(out);
}

/// The same as one text.
template <typename Row, typename ForEach>
std::string rows_text(std::span<const ManyRowsColumn<Row>> columns, const ForEach& for_each) {
  std::string text;
  write_rows(columns, for_each, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace tacho
