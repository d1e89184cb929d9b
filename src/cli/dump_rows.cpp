#include "cli/dump_rows.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "derive/figure.h"
#include "render/csv.h"
#include "render/json.h"
#include "render/number.h"
#include "schema/catalog.h"

namespace tacho::cli {

DumpTable::DumpTable(TableId id, bool raw, DumpFormat format)
    : id_(id), raw_(raw), format_(format) {
  const TableView& table = table_view(id);
  for (uint16_t i = 0; i < table.metrics.size(); ++i) {
    const Metric& m = table.metrics[i];
    bool rate = m.kind == Kind::counter && !raw;
    fields_.push_back({std::string(m.name) + (rate ? "_per_s" : ""), m.kind, m.type, i, nullptr});
  }
  if (raw) return;
  for (const Figure& figure : figures()) {
    if (figure.table != id) continue;
    fields_.push_back({std::string(figure.name()), Kind::gauge, Type::u64, 0, &figure});
  }
}

std::string DumpTable::header() const {
  std::vector<std::string> names{"time"};
  for (const Field& field : fields_)
    names.push_back(field.name);
  std::string out;
  append_csv(out, names);
  return out;
}

DumpTable::Cell DumpTable::cell(const Field& field, const Window& window, size_t row) const {
  const TableWindow& table = window.table(id_);
  auto of_number = [](Number n) {
    std::string text = format_exact(n);
    return Cell{text, false, n && text.empty() ? Absent::not_applicable : n.absent};
  };
  if (field.figure) return of_number(field.figure->of(window, row));
  // A recording of an earlier build may lack the newest columns.
  if (field.index >= table.rows()->width()) return {"", false, Absent::not_recorded};
  Value value = table.rows()->at(row, field.index);
  if (!value) return {"", false, value.absent};
  if (field.type == Type::text) {
    return {std::string(table.rows()->pool().view(value.bits)), true, Absent::no};
  }
  if (field.kind == Kind::counter && !raw_) return of_number(table.rate(row, {id_, field.index}));
  if (field.kind == Kind::gauge && !raw_) return of_number(table.gauge(row, {id_, field.index}));
  bool negative = field.type == Type::i64;
  return {negative ? fmt::format("{}", static_cast<int64_t>(value.bits))
                   : fmt::format("{}", value.bits),
          false, Absent::no};
}

std::string DumpTable::csv_row(const Window& window, size_t row, const std::string& time) const {
  std::string out = time;
  for (const Field& field : fields_) {
    out += ',';
    out += csv_field(cell(field, window, row).text);
  }
  return out;
}

std::string DumpTable::json_row(const Window& window, size_t row, const std::string& time) const {
  std::string out = fmt::format(R"({{"time":"{}","table":"{}")", time, table_view(id_).name);
  std::string reasons;
  for (const Field& field : fields_) {
    Cell c = cell(field, window, row);
    bool absent = c.absent != Absent::no;
    out += fmt::format(",\"{}\":{}", field.name,
                       absent   ? "null"
                       : c.word ? to_string(Json(c.text))
                                : c.text);
    if (absent) {
      reasons += fmt::format("{}\"{}\":\"{}\"", reasons.empty() ? "" : ",", field.name,
                             tacho::name(c.absent));
    }
  }
  if (!reasons.empty()) out += ",\"absent\":{" + reasons + "}";
  return out + "}";
}

std::vector<std::string> DumpTable::rows(const Window& window) const {
  std::vector<std::string> out;
  std::string time = rfc3339(window.end().clock.realtime_ns, 3);
  for (size_t row = 0; row < window.table(id_).size(); ++row) {
    out.push_back(format_ == DumpFormat::csv ? csv_row(window, row, time)
                                             : json_row(window, row, time));
  }
  return out;
}

}  // namespace tacho::cli
