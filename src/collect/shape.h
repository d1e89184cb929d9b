// Parsers by the shape of a source. Each is bound once to a table: it walks the table's metrics for
// places in its source and remembers which spot fills which column. So a metric in a file that is
// already read needs its row in the schema and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sample/rows.h"
#include "schema/table.h"

namespace tacho {

/// A column and how much its place is preferred among the metric's places (0 first).
struct Target {
  uint16_t column = 0;
  uint8_t rank = 0;
};

/// A spot of a source and the column that it fills.
struct Binding {
  Place place;
  Target target;
};

/// All the places of a table that lie in `source`.
[[nodiscard]] std::vector<Binding> bind(const TableView& table, const Source& source);

/// The sources of a table, each once, in the order in which its metrics name them.
[[nodiscard]] std::vector<const Source*> sources_of(const TableView& table);

/// Parses one field as the column wants it (text, signed, hundredths, hexadecimal) and sets the
/// cell; absent as unreadable where it is none. "max" and "-1" of a limit: not_applicable.
void set_field(Rows& rows, size_t row, uint16_t column, std::string_view field, int base = 10);

/// Keeps, for one row, which place filled each column, so that a preferred one wins whatever the
/// order of lines and files. Reset it per row.
class Ranks {
 public:
  void reset(size_t width) { ranks_.assign(width, UINT8_MAX); }
  /// Whether `target` may fill its cell: nothing better has.
  bool take(Target target) {
    if (ranks_[target.column] <= target.rank) return false;
    ranks_[target.column] = target.rank;
    return true;
  }
  [[nodiscard]] bool filled(uint16_t column) const { return ranks_[column] != UINT8_MAX; }

 private:
  std::vector<uint8_t> ranks_;
};

/// A parser that fills one row of a table from one source (shapes keyed, rows with a single line,
/// headed, pairs, value).
class RowParser {
 public:
  RowParser(const TableView& table, const Source& source);
  /// Fills what `text` holds; columns it does not mention stay as they are.
  void parse(std::string_view text, Rows& rows, size_t row, Ranks& ranks);
  [[nodiscard]] const Source& source() const { return *source_; }
  [[nodiscard]] const std::vector<Binding>& bindings() const { return bindings_; }

 private:
  void parse_keyed(std::string_view text, Rows& rows, size_t row, Ranks& ranks);
  void parse_columns(std::string_view text, Rows& rows, size_t row, Ranks& ranks);
  void parse_headed(std::string_view text, Rows& rows, size_t row, Ranks& ranks);
  void parse_pairs(std::string_view text, Rows& rows, size_t row, Ranks& ranks);
  void fill(const Binding& binding, std::string_view field, Rows& rows, size_t row, Ranks& ranks);

  const Source* source_;
  std::vector<Binding> bindings_;

  /// What stood at each line last time: the lines of a kernel file keep their order, so the binding
  /// is found by one comparison instead of a search.
  struct Seen {
    std::string key;
    int binding = -1;
  };
  std::vector<Seen> seen_;
  /// For headed: each names line seen, and the bindings by position of the value.
  struct Header {
    std::string names;
    std::vector<std::pair<uint16_t, uint16_t>> positions;  ///< position of the value, binding
  };
  std::vector<Header> headers_;
};

/// The columns of one line of a file with a line per instance.
class LineParser {
 public:
  LineParser(const TableView& table, const Source& source);
  void parse(std::string_view line, Rows& rows, size_t row) const;
  [[nodiscard]] bool empty() const { return by_field_.empty(); }

 private:
  std::vector<int> by_field_;  ///< column for each field, -1 for none
  int base_;
};

}  // namespace tacho
