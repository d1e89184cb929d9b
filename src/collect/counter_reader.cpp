#include "collect/counter_reader.h"

#include <array>

#include "base/text.h"
#include "schema/net.h"

namespace tacho {
namespace {

void add(Rows& rows, std::string_view group, std::string_view name, std::string_view text) {
  auto value = parse_i64(text);
  if (!value || name.empty()) return;
  size_t row = rows.append();
  rows.set_text(row, schema::net_counter["group"], group);
  rows.set_text(row, schema::net_counter["name"], name);
  rows.set(row, schema::net_counter["value"], static_cast<uint64_t>(*value));
}

class CounterReader : public Reader {
 public:
  TableId table() const override { return TableId::net_counter; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    Result<void> outcome;
    for (KeptFile& file : files_) {
      auto text = file.read(collecting.machine, collecting.buffer);
      if (!text) {
        if (outcome) outcome = tl::unexpected(text.error());
      } else if (&file == &files_.back()) {
        parse_counter_lines(*text, rows);
      } else {
        parse_headed_counters(*text, rows);
      }
    }
    // Without IPv6 there is no snmp6, and nothing is missing.
    return rows.empty() ? outcome : Result<void>{};
  }

 private:
  std::array<KeptFile, 3> files_{KeptFile("proc/net/snmp"), KeptFile("proc/net/netstat"),
                                 KeptFile("proc/net/snmp6")};
};

}  // namespace

void parse_headed_counters(std::string_view text, Rows& rows) {
  std::string_view names;
  std::string_view values;
  while (next_line(text, names) && next_line(text, values)) {
    std::string_view group = next_field(names);
    if (!group.ends_with(':') || next_field(values) != group) continue;
    group.remove_suffix(1);
    for (std::string_view name; !(name = next_field(names)).empty();)
      add(rows, group, name, next_field(values));
  }
}

void parse_counter_lines(std::string_view text, Rows& rows) {
  std::string_view line;
  while (next_line(text, line)) {
    std::string_view name = next_field(line);
    size_t end = name.find('6');
    if (end == std::string_view::npos) continue;
    add(rows, name.substr(0, end + 1), name, next_field(line));
  }
}

std::unique_ptr<Reader> make_counter_reader() {
  return std::make_unique<CounterReader>();
}

}  // namespace tacho
