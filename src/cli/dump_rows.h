// One row per sample and instance of a table, as CSV or JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "derive/window.h"
#include "schema/table.h"

namespace tacho {
struct Figure;
}

namespace tacho::cli {

enum class DumpFormat { csv, json, ndjson };

/// The columns of one table: keys and words as they are; counters as rates, named "…_per_s"; then
/// the derived figures. Or, raw, the stored integers, in the units of their sources.
class DumpTable {
 public:
  DumpTable(TableId id, bool raw, DumpFormat format);

  [[nodiscard]] TableId id() const { return id_; }
  /// The names, as a CSV record.
  [[nodiscard]] std::string header() const;
  /// A string for each row of the window's end, without a line end. An absent figure is an empty
  /// field of CSV; in JSON it is null, and its reason stands under "absent".
  [[nodiscard]] std::vector<std::string> rows(const Window& window) const;

 private:
  struct Field {
    std::string name;
    Kind kind;
    Type type;
    uint16_t index;
    const Figure* figure;  ///< null for a metric
  };
  struct Cell {
    std::string text;
    bool word = false;  ///< text rather than a number
    Absent absent = Absent::no;
  };
  [[nodiscard]] Cell cell(const Field& field, const Window& window, size_t row) const;
  [[nodiscard]] std::string csv_row(const Window& window, size_t row,
                                    const std::string& time) const;
  [[nodiscard]] std::string json_row(const Window& window, size_t row,
                                     const std::string& time) const;

  TableId id_;
  bool raw_;
  DumpFormat format_;
  std::vector<Field> fields_;
};

}  // namespace tacho::cli
