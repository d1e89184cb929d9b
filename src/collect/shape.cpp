#include "collect/shape.h"

#include <algorithm>

#include "base/text.h"

namespace tacho {
namespace {

/// "key:" and "key" are the same key.
std::string_view without_colon(std::string_view key) {
  if (!key.empty() && key.back() == ':') key.remove_suffix(1);
  return key;
}

}  // namespace

std::vector<Binding> bind(const TableView& table, const Source& source) {
  std::vector<Binding> bindings;
  for (size_t column = 0; column < table.metrics.size(); ++column) {
    for (size_t rank = 0; rank < kMaxPlaces; ++rank) {
      const Place& place = table.metrics[column].from[rank];
      if (place.source != &source) continue;
      bindings.push_back({place, {static_cast<uint16_t>(column), static_cast<uint8_t>(rank)}});
    }
  }
  return bindings;
}

std::vector<const Source*> sources_of(const TableView& table) {
  std::vector<const Source*> sources;
  for (const Metric& metric : table.metrics) {
    for (const Place& place : metric.from) {
      if (place.source == nullptr) continue;
      if (std::ranges::find(sources, place.source) == sources.end())
        sources.push_back(place.source);
    }
  }
  return sources;
}

void set_field(Rows& rows, size_t row, uint16_t column, std::string_view field, int base) {
  const ColumnInfo& info = rows.layout().columns[column];
  if (info.type == Type::text) {
    rows.set_text(row, column, field);
    return;
  }
  if (info.type == Type::i64) {
    if (auto value = parse_i64(field)) {
      rows.set(row, column, static_cast<uint64_t>(*value));
      return;
    }
  } else if (info.unit.den == 100 && field.find('.') != std::string_view::npos) {
    if (auto value = parse_fixed(field, 2); value && *value >= 0) {
      rows.set(row, column, static_cast<uint64_t>(*value));
      return;
    }
  } else if (auto value = parse_u64(field, base)) {
    rows.set(row, column, *value);
    return;
  }
  bool no_limit = field == "max" || field == "-1";
  rows.set_absent(row, column, no_limit ? Absent::not_applicable : Absent::unreadable);
}

RowParser::RowParser(const TableView& table, const Source& source)
    : source_(&source), bindings_(bind(table, source)) {}

void RowParser::fill(const Binding& binding, std::string_view field, Rows& rows, size_t row,
                     Ranks& ranks) {
  if (!ranks.take(binding.target)) return;
  uint16_t column = binding.target.column;
  set_field(rows, row, column, field);
  Value value = rows.at(row, column);
  if (binding.place.divisor > 1 && value) {
    rows.set(row, column, value.bits / binding.place.divisor);
  }
}

void RowParser::parse(std::string_view text, Rows& rows, size_t row, Ranks& ranks) {
  switch (source_->shape) {
    case Shape::keyed:
      return parse_keyed(text, rows, row, ranks);
    case Shape::rows:
      return parse_columns(text, rows, row, ranks);
    case Shape::headed:
      return parse_headed(text, rows, row, ranks);
    case Shape::pairs:
      return parse_pairs(text, rows, row, ranks);
    case Shape::value:
      for (const Binding& binding : bindings_)
        fill(binding, trim(text), rows, row, ranks);
      return;
    case Shape::hexrows:
    case Shape::record:
    case Shape::call:
      return;
  }
}

void RowParser::parse_keyed(std::string_view text, Rows& rows, size_t row, Ranks& ranks) {
  // "model name : …" has a key of two words, so a colon ends the key where there is one.
  std::string_view line;
  for (size_t at = 0; next_line(text, line); ++at) {
    size_t colon = line.find(':');
    std::string_view rest = line;
    std::string_view key;
    if (colon != std::string_view::npos) {
      key = trim(line.substr(0, colon));
      rest = line.substr(colon + 1);
    } else {
      key = next_field(rest);
    }
    if (at >= seen_.size()) seen_.resize(at + 1);
    Seen& seen = seen_[at];
    if (seen.key != key) {
      seen.key = key;
      auto found =
          std::ranges::find_if(bindings_, [&](const Binding& b) { return b.place.key == key; });
      seen.binding = found == bindings_.end() ? -1 : static_cast<int>(found - bindings_.begin());
    }
    if (seen.binding < 0) continue;
    // Two columns may want one key: they stand next to each other only by chance, so all are tried.
    for (auto i = static_cast<size_t>(seen.binding); i < bindings_.size(); ++i) {
      const Binding& binding = bindings_[i];
      if (binding.place.key != key) continue;
      bool is_text = rows.layout().columns[binding.target.column].type == Type::text;
      std::string_view value = rest;
      for (uint16_t i = 0; i < binding.place.index; ++i)
        next_field(value);
      fill(binding, is_text ? trim(value) : next_field(value), rows, row, ranks);
    }
  }
}

void RowParser::parse_columns(std::string_view text, Rows& rows, size_t row, Ranks& ranks) {
  std::string_view line;
  if (!next_line(text, line)) return;
  std::string_view field;
  for (uint16_t index = 0; !(field = next_field(line)).empty(); ++index) {
    for (const Binding& binding : bindings_) {
      if (binding.place.index == index) fill(binding, field, rows, row, ranks);
    }
  }
}

void RowParser::parse_headed(std::string_view text, Rows& rows, size_t row, Ranks& ranks) {
  std::string_view names;
  std::string_view values;
  for (size_t at = 0; next_line(text, names) && next_line(text, values); ++at) {
    if (at >= headers_.size()) headers_.resize(at + 1);
    Header& header = headers_[at];
    if (header.names != names) {
      header.names = names;
      header.positions.clear();
      std::string_view rest = names;
      std::string_view prefix = without_colon(next_field(rest));
      std::string_view name;
      for (uint16_t position = 1; !(name = next_field(rest)).empty(); ++position) {
        for (size_t i = 0; i < bindings_.size(); ++i) {
          if (bindings_[i].place.key != prefix || bindings_[i].place.field != name) continue;
          header.positions.emplace_back(position, static_cast<uint16_t>(i));
        }
      }
    }
    if (header.positions.empty()) continue;
    std::string_view prefix = next_field(values);
    std::string_view names_prefix = names.substr(0, prefix.size());
    if (prefix != names_prefix) continue;  // the pair does not belong together: believe neither
    auto wanted = header.positions.begin();
    std::string_view value;
    for (uint16_t position = 1; !(value = next_field(values)).empty(); ++position) {
      for (; wanted != header.positions.end() && wanted->first == position; ++wanted) {
        fill(bindings_[wanted->second], value, rows, row, ranks);
      }
    }
  }
}

void RowParser::parse_pairs(std::string_view text, Rows& rows, size_t row, Ranks& ranks) {
  std::string_view line;
  while (next_line(text, line)) {
    std::string_view key = without_colon(next_field(line));
    std::string_view field;
    while (!(field = next_field(line)).empty()) {
      size_t equals = field.find('=');
      std::string_view name = field.substr(0, equals);
      std::string_view value =
          equals == std::string_view::npos ? next_field(line) : field.substr(equals + 1);
      for (const Binding& binding : bindings_) {
        if (binding.place.key == key && binding.place.field == name) {
          fill(binding, value, rows, row, ranks);
        }
      }
    }
  }
}

LineParser::LineParser(const TableView& table, const Source& source)
    : base_(source.shape == Shape::hexrows ? 16 : 10) {
  for (const Binding& binding : bind(table, source)) {
    size_t field = binding.place.index;
    if (field >= by_field_.size()) by_field_.resize(field + 1, -1);
    by_field_[field] = binding.target.column;
  }
}

void LineParser::parse(std::string_view line, Rows& rows, size_t row) const {
  for (int column : by_field_) {
    std::string_view field = next_field(line);
    if (column < 0) continue;
    if (field.empty()) {
      rows.set_absent(row, static_cast<uint16_t>(column),
                      Absent::not_supported);  // an older kernel
    } else {
      set_field(rows, row, static_cast<uint16_t>(column), field, base_);
    }
  }
}

}  // namespace tacho
