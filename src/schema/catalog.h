// All tables, walkable at run time; and layouts, which also describe the tables and columns of a
// recording made by another build.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/table.h"

namespace tacho {

/// Every table of this build, by TableId.
[[nodiscard]] const TableView& table_view(TableId id);
[[nodiscard]] std::optional<TableId> find_table(std::string_view name);
[[nodiscard]] const Metric& metric_of(Column column);

/// A column as data: what a recording's own schema holds of a metric.
struct ColumnInfo {
  std::string name;
  Kind kind = Kind::gauge;
  Type type = Type::u64;
  Unit unit;

  bool operator==(const ColumnInfo&) const = default;
};

/// The columns of some Rows. For a table of this build the first columns are those of its
/// declaration, in that order, so that a compile-time Column is an index into them; columns which
/// only the recording knows follow.
struct Layout {
  std::optional<TableId> id;  ///< nothing for a table this build does not know
  std::string name;
  std::vector<ColumnInfo> columns;
  std::vector<uint16_t> keys;  ///< indexes of the key columns

  /// Index of the column, or nothing.
  [[nodiscard]] std::optional<uint16_t> find(std::string_view column) const;
};
using LayoutPtr = std::shared_ptr<const Layout>;

/// The layout of a table as this build declares it. One object per table for the program's life.
[[nodiscard]] const LayoutPtr& layout_of(TableId id);

}  // namespace tacho
