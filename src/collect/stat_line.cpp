#include "collect/stat_line.h"

#include "base/text.h"
#include "collect/shape.h"

namespace tacho {

StatLine::StatLine(const TableView& table, const Source& source) {
  for (const Binding& binding : bind(table, source)) {
    size_t field = binding.place.index;
    if (field >= by_field_.size()) by_field_.resize(field + 1, -1);
    by_field_[field] = binding.target.column;
  }
}

bool StatLine::parse(std::string_view text, Rows& rows, size_t row) const {
  size_t open = text.find('(');
  size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return false;
  auto pid = parse_u64(trim(text.substr(0, open)));
  if (!pid) return false;
  std::string_view rest = trim(text.substr(close + 1));
  for (size_t field = 0; field < by_field_.size(); ++field) {
    std::string_view value;
    if (field == 0) {
      value = trim(text.substr(0, open));
    } else if (field == 1) {
      value = text.substr(open + 1, close - open - 1);
    } else {
      value = next_field(rest);
    }
    int column = by_field_[field];
    if (column < 0) continue;
    if (value.empty() && field != 1) {
      rows.set_absent(row, static_cast<size_t>(column), Absent::not_supported);
    } else {
      set_field(rows, row, static_cast<uint16_t>(column), value);
    }
  }
  for (uint16_t key : rows.layout().keys) {
    bool ours = table_view(*rows.layout().id).metrics[key].from[0].source->shape == Shape::rows;
    if (ours && !rows.at(row, key)) return false;
  }
  return true;
}

std::optional<uint64_t> count_cpus(std::string_view list) {
  uint64_t cpus = 0;
  for (std::string_view part : split(trim(list), ',')) {
    size_t dash = part.find('-');
    auto first = parse_u64(part.substr(0, dash));
    auto last = dash == std::string_view::npos ? first : parse_u64(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last > 1 << 20) return std::nullopt;
    cpus += *last - *first + 1;
  }
  return cpus;
}

std::string_view cgroup_path(std::string_view text) {
  std::string_view line;
  std::string_view unified;
  std::string_view cpu;
  while (next_line(text, line)) {
    size_t first = line.find(':');
    size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string_view path = line.substr(second + 1);
    if (controllers.empty()) unified = path;
    for (std::string_view controller : split(controllers, ',')) {
      if (controller == "cpu") cpu = path;
    }
  }
  return cpu.size() > 1 || unified.empty() ? cpu : unified;
}

}  // namespace tacho
