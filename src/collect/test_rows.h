// For tests: reading one table of a machine, and naming its cells.
#pragma once

#include <memory>
#include <string>

#include "collect/collector.h"
#include "sample/rows.h"

namespace tacho {

/// The rows of one table in a first sample; over a live machine after what is slow has answered.
inline RowsPtr read_table(std::shared_ptr<Machine> machine, TableId table) {
  CollectorOptions options;
  options.first_wait_ns = 60 * kSecond;
  return Collector(std::move(machine), {table}, options).collect()->rows_ptr(table);
}

/// The row whose text cell `column` is `text`; npos where there is none.
inline size_t find_row(const Rows& rows, Column column, std::string_view text) {
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, column) == text) return row;
  }
  return KeyIndex::npos;
}

/// The cell as text: its words, its number as stored, or why it is absent, in angle brackets.
inline std::string cell(const Rows& rows, size_t row, Column column) {
  Value value = rows.at(row, column);
  if (!value) return "<" + std::string(name(value.absent)) + ">";
  bool is_text = rows.layout().columns[column.index].type == Type::text;
  return is_text ? std::string(rows.pool().view(value.bits)) : std::to_string(value.bits);
}

}  // namespace tacho
