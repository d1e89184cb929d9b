#include "collect/fact_changes.h"

#include <algorithm>
#include <string>

#include "schema/cgroup.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/host.h"
#include "schema/net.h"
#include "schema/process.h"

namespace tacho {
namespace {

struct WatchedFact {
  Column column;
  /// Absent as not_applicable is a value too: no limit.
  bool none_is_value = false;
};
constexpr std::array kWatched{
    WatchedFact{schema::host["cpus"]},
    WatchedFact{schema::cpu_clock["governor"]},
    WatchedFact{schema::cpu_clock["max_frequency"]},
    WatchedFact{schema::filesystem["read_only"]},
    WatchedFact{schema::net["speed"]},
    WatchedFact{schema::net["duplex"]},
    WatchedFact{schema::net["carrier"]},
    WatchedFact{schema::net["mtu"]},
    WatchedFact{schema::process["allowed_cpu_list"]},
    WatchedFact{schema::cgroup["cpu_quota"], true},
    WatchedFact{schema::cgroup["cpus"]},
    WatchedFact{schema::cgroup["memory_limit"], true},
    WatchedFact{schema::cgroup["memory_high"], true},
};

/// More of one kind in one sample nobody reads one by one.
constexpr size_t kMostDeaths = 20;
constexpr size_t kMostChanges = 50;

constexpr size_t index(TableId id) {
  return static_cast<size_t>(id);
}

std::string value_text(const Rows& rows, size_t row, Column column) {
  Value value = rows.at(row, column);
  if (!value) return "none";
  const ColumnInfo& info = rows.layout().columns[column.index];
  if (info.type == Type::text) return std::string(rows.pool().view(value.bits));
  double number = *rows.number(row, column);
  if (info.unit.dimension == Dimension::bits_per_second) {
    return fmt::format("{:.12g} Mbit/s", number / 1e6);
  }
  std::string_view unit = symbol(info.unit.dimension);
  return fmt::format("{:.12g}{}{}", number, unit.empty() ? "" : " ", unit);
}

/// The first key, and the command of a process.
Event event_of(const Rows& rows, size_t row, const char* kind, int64_t realtime_ns) {
  Event event;
  event.kind = kind;
  event.realtime_ns = realtime_ns;
  if (rows.layout().id == TableId::process) {
    event.subject = rows.text(row, schema::process["command"]);
    event.pid = rows.at(row, schema::process["pid"]).bits;
  } else if (!rows.layout().keys.empty()) {
    event.subject = rows.pool().view(rows.at(row, rows.layout().keys[0]).bits);
  }
  return event;
}

bool is_watched(const Rows& rows, size_t row) {
  Value watched = rows.at(row, schema::process["watched"]);
  return watched && watched.bits == 1;
}

void compare_row(const Rows& before, size_t was, const Rows& now, size_t row, int64_t realtime_ns,
                 std::vector<Event>& events) {
  for (const WatchedFact& fact : kWatched) {
    if (fact.column.table != now.layout().id) continue;
    Value old = before.at(was, fact.column);
    Value value = now.at(row, fact.column);
    if (old.bits == value.bits && old.absent == value.absent) continue;
    auto known = [&](const Value& v) {
      return v || (fact.none_is_value && v.absent == Absent::not_applicable);
    };
    if (!known(old) || !known(value)) continue;
    Event event = event_of(now, row, "change", realtime_ns);
    const TableView& table = table_view(fact.column.table);
    event.detail =
        fmt::format("{}.{} {} -> {}", table.name, metric_of(fact.column).name,
                    value_text(before, was, fact.column), value_text(now, row, fact.column));
    events.push_back(std::move(event));
  }
}

void compare_rows(const Rows& before, const Rows& now, int64_t realtime_ns,
                  std::vector<Event>& events) {
  bool processes = now.layout().id == TableId::process;
  size_t changes = 0;
  KeyIndex index_before(before);
  for (size_t row = 0; row < now.size() && changes < kMostChanges; ++row) {
    if (processes && !is_watched(now, row)) continue;
    size_t was = index_before.find(now, row);
    if (was == KeyIndex::npos) continue;
    size_t already = events.size();
    compare_row(before, was, now, row, realtime_ns, events);
    changes += events.size() - already;
  }
}

void find_deaths(const Rows& before, const Rows& now, int64_t realtime_ns,
                 std::vector<Event>& events) {
  size_t deaths = 0;
  KeyIndex index_now(now);
  for (size_t row = 0; row < before.size(); ++row) {
    if (!is_watched(before, row) || index_now.find(before, row) != KeyIndex::npos) continue;
    if (++deaths > kMostDeaths) continue;
    Event event = event_of(before, row, "death", realtime_ns);
    event.detail = before.text(row, schema::process["command_line"]);
    events.push_back(std::move(event));
  }
  if (deaths > kMostDeaths) {
    events.push_back(
        {"death", "", fmt::format("and {} more", deaths - kMostDeaths), 0, realtime_ns});
  }
}

bool watches_processes(const Rows& rows) {
  return !rows.empty() && rows.at(0, schema::process["watched"]).has();
}

}  // namespace

void FactChanges::compare(const Sample& sample, std::vector<Event>& events) {
  std::array<bool, kTableCount> done{};
  for (const WatchedFact& fact : kWatched) {
    TableId table = fact.column.table;
    if (std::exchange(done[index(table)], true)) continue;
    RowsPtr now = sample.rows_ptr(table);
    bool processes = table == TableId::process;
    if (!now || now->absent != Absent::no || (processes && !watches_processes(*now))) {
      // What could not be read is no change; it is compared when it is back.
      if (processes) last_[index(table)].reset();
      continue;
    }
    RowsPtr before = std::exchange(last_[index(table)], now);
    if (!before || before == now) continue;
    int64_t realtime_ns = sample.clock.realtime_ns - (sample.clock.monotonic_ns - now->read_ns);
    if (before->pool_ptr() != now->pool_ptr()) {
      // Rows read on another thread have texts of their own: both into one pool.
      auto pool = std::make_shared<TextPool>();
      before = before->rebase(pool);
      now = now->rebase(pool);
    }
    compare_rows(*before, *now, realtime_ns, events);
    if (processes) find_deaths(*before, *now, realtime_ns, events);
  }
}

}  // namespace tacho
