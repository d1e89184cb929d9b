// The schema that every file of a recording carries, and how it meets this build's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/catalog.h"

namespace tacho {

/// A table as a recording declares it.
struct RecordedTable {
  std::string name;
  std::vector<ColumnInfo> columns;
  std::optional<TableId> id;  ///< this build's table of that name
  LayoutPtr layout;           ///< of the Rows made from it: this build's columns, then its extras
  std::vector<uint16_t> column;  ///< index in `layout` of each recorded column
};
using RecordedSchema = std::vector<RecordedTable>;

/// This build's column for a recorded one: the metric of that name, or that once had it. Nothing
/// where there is none, or where one is a text and the other is not.
[[nodiscard]] std::optional<uint16_t> own_column(const TableView& table,
                                                 const ColumnInfo& recorded);

/// All the tables of this build.
[[nodiscard]] std::string encode_schema();
/// As it was read.
[[nodiscard]] std::string encode_schema(const RecordedSchema& schema);
[[nodiscard]] Result<RecordedSchema> decode_schema(std::string_view bytes);

}  // namespace tacho
