// A table of text, aligned and fitted to a width.
#pragma once

#include <string>
#include <vector>

#include "render/palette.h"

namespace tacho {

enum class Align { left, right };

struct TableColumn {
  std::string title;
  Align align = Align::left;
  size_t width = 0;      ///< at least that wide
  bool shrinks = false;  ///< gives up columns when the table is too wide
};

struct TableCell {
  std::string text;  ///< safe to print: what came from outside is escaped before
  Style style = Style::plain;

  TableCell(std::string t, Style s = Style::plain) : text(std::move(t)), style(s) {}  // NOLINT
  TableCell(const char* t) : text(t) {}                                               // NOLINT
};

/// Columns are as wide as their widest cell, two spaces apart. Where all that is wider than the
/// table may be, the columns that shrink do, the widest first; then cells are cut with "…".
class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}
  /// Missing cells are empty, superfluous ones dropped.
  void add(std::vector<TableCell> row);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Header (unless every title is empty) and rows, each line ended by '\n', none longer than
  /// `width`, without trailing spaces; each begins with `indent` spaces.
  [[nodiscard]] std::string render(size_t width, const Palette& palette, size_t indent = 0) const;

 private:
  [[nodiscard]] std::vector<size_t> widths(size_t available) const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<TableCell>> rows_;
};

}  // namespace tacho
