#include "recording/schema_block.h"

#include <algorithm>

#include "base/bytes.h"

namespace tacho {

std::optional<uint16_t> own_column(const TableView& table, const ColumnInfo& recorded) {
  for (size_t i = 0; i < table.metrics.size(); ++i) {
    const Metric& metric = table.metrics[i];
    bool named =
        metric.name == recorded.name || (!metric.alias.empty() && metric.alias == recorded.name);
    // A column that has become a text (or no longer is one) cannot be read as the other.
    bool same = (metric.type == Type::text) == (recorded.type == Type::text);
    if (named && same) return static_cast<uint16_t>(i);
  }
  return std::nullopt;
}

namespace {

void meet(RecordedTable& table, const RecordedSchema& before) {
  auto layout = std::make_shared<Layout>();
  table.id = find_table(table.name);
  // A name that stands there twice means the first one.
  if (std::ranges::any_of(before, [&](const auto& other) { return other.name == table.name; })) {
    table.id.reset();
  }
  if (table.id) *layout = *layout_of(*table.id);
  size_t own = layout->columns.size();
  layout->name = table.name;
  for (const ColumnInfo& column : table.columns) {
    auto index = table.id ? own_column(table_view(*table.id), column) : std::nullopt;
    bool taken = index && std::ranges::find(table.column, *index) != table.column.end();
    if (index && !taken) {
      layout->columns[*index].unit = column.unit;  // the numbers are as they were written
    } else {
      index = static_cast<uint16_t>(layout->columns.size());
      layout->columns.push_back(column);
      if (!table.id && column.kind == Kind::key) layout->keys.push_back(*index);
    }
    table.column.push_back(*index);
  }
  bool same =
      table.id && layout->columns.size() == own && layout->columns == layout_of(*table.id)->columns;
  table.layout = same ? layout_of(*table.id) : LayoutPtr(layout);
}

}  // namespace

std::string encode_schema() {
  RecordedSchema schema;
  for (size_t i = 0; i < kTableCount; ++i) {
    const Layout& layout = *layout_of(static_cast<TableId>(i));
    schema.push_back({layout.name, layout.columns, std::nullopt, nullptr, {}});
  }
  return encode_schema(schema);
}

std::string encode_schema(const RecordedSchema& schema) {
  std::string bytes;
  ByteWriter out(bytes);
  out.varint(schema.size());
  for (const RecordedTable& table : schema) {
    out.text(table.name);
    out.varint(table.columns.size());
    for (const ColumnInfo& column : table.columns) {
      out.text(column.name);
      out.fixed(static_cast<uint8_t>(column.kind));
      out.fixed(static_cast<uint8_t>(column.type));
      out.fixed(static_cast<uint8_t>(column.unit.dimension));
      out.varint(column.unit.num);
      out.varint(column.unit.den);
    }
  }
  return bytes;
}

Result<RecordedSchema> decode_schema(std::string_view bytes) {
  ByteReader in(bytes);
  RecordedSchema schema;
  uint64_t tables = in.varint();
  for (uint64_t t = 0; t < tables && in.ok() && t < 4096; ++t) {
    RecordedTable table;
    table.name = in.text();
    uint64_t columns = in.varint();
    for (uint64_t c = 0; c < columns && in.ok(); ++c) {
      ColumnInfo column;
      column.name = in.text();
      column.kind = static_cast<Kind>(in.fixed<uint8_t>());
      column.type = static_cast<Type>(in.fixed<uint8_t>());
      column.unit.dimension = static_cast<Dimension>(in.fixed<uint8_t>());
      column.unit.num = in.varint();
      column.unit.den = std::max<uint64_t>(in.varint(), 1);
      table.columns.push_back(std::move(column));
    }
    if (!in.ok() || table.columns.empty() || table.columns.size() > 4096) break;
    meet(table, schema);
    schema.push_back(std::move(table));
  }
  if (!in.ok() || !in.empty() || schema.size() != tables) {
    return fail(Errc::corrupt, "its schema cannot be understood");
  }
  return schema;
}

}  // namespace tacho
