// Lines of fields, as the classic commands print them, whose columns widen for what would not fit:
// all cells are measured first, then written. Nothing is kept of them, so that very many rows take
// no memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/table.h"

namespace tacho {

struct Field {
  std::string_view title;
  int width = 0;  ///< at least; as wide as the widest cell where that is more
  Align align = Align::left;
  bool open = false;  ///< neither padded nor widened: the last one of a line
};

/// A space stands between two fields. Text must be safe to print; its width is that on a terminal.
class FieldLines {
 public:
  explicit FieldLines(std::vector<Field> fields);

  void measure(size_t column, std::string_view cell);
  /// The titles as a line.
  void put_titles(std::string& out) const;
  /// The next cell of a line; the last one ends it with '\n'.
  void put(size_t column, std::string_view cell, std::string& out) const;

 private:
  std::vector<Field> fields_;
  std::vector<size_t> widths_;
};

}  // namespace tacho
