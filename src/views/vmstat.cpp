#include "views/vmstat.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/clock.h"
#include "derive/figure.h"
#include "schema/cpu.h"
#include "schema/host.h"
#include "schema/memory.h"
#include "schema/system.h"
#include "views/column.h"
#include "views/vmstat_parts.h"

namespace tacho {

using namespace vmstat_parts;

namespace {

using figure::CpuPart;

/// What a line is made of.
struct Line {
  const Window& window;
  const VmstatOptions& options;
};

/// A metric of a table that has one row, as a gauge or as a rate.
Number gauge(const Line& l, Column column) {
  const TableWindow& table = l.window.table(column.table);
  return table.size() > 0 ? table.gauge(0, column) : Number(table.absent());
}
Number rate(const Line& l, Column column) {
  const TableWindow& table = l.window.table(column.table);
  return table.size() > 0 ? table.rate(0, column) : Number(table.absent());
}
Number cpu(const Line& l, CpuPart part) {
  const TableWindow& table = l.window.table(TableId::cpu);
  return table.size() > 0 ? figure::cpu_share(l.window, 0, part) : Number(table.absent());
}
Number memory(const Line& l, Column column) {
  return scaled(gauge(l, column), 1 / unit_of(l.options));
}
/// Swapped pages a second, in the unit of memory. No pages are nothing, whatever a page's size.
Number pages(const Line& l, Column column) {
  Number per_second = rate(l, column);
  if (!per_second || *per_second == 0) return per_second;
  Number page = gauge(l, schema::host["page_size"]);
  return page ? scaled(per_second, *page / unit_of(l.options)) : page;
}
Number swapped(const Line& l) {
  Number total = memory(l, schema::memory["swap_total"]);
  Number free = memory(l, schema::memory["swap_free"]);
  return total && free ? Number(*total - *free) : total ? free : total;
}
/// Guest time is in user too. The wide form shows it apart, so there it is taken out of us.
Number user(const Line& l) {
  Number all = sum({cpu(l, CpuPart::user), cpu(l, CpuPart::nice)});
  Number guest = cpu(l, CpuPart::guest);
  return l.options.wide && all && guest ? Number(std::max(*all - *guest, 0.0)) : all;
}

template <Column column>
ViewCell memory_cell(const Line& l) {
  return whole_cell(memory(l, column), true);
}
template <Column column>
ViewCell gauge_cell(const Line& l) {
  return whole_cell(gauge(l, column));
}
template <Column column>
ViewCell rate_cell(const Line& l) {
  return whole_cell(rate(l, column));
}
template <Column column>
ViewCell pages_cell(const Line& l) {
  return whole_cell(pages(l, column));
}
template <Column column>
ViewCell kib_cell(const Line& l) {
  return whole_cell(scaled(rate(l, column), 1.0 / 1024));
}
template <CpuPart part>
ViewCell cpu_cell(const Line& l) {
  return whole_cell(cpu(l, part));
}
ViewCell swapped_cell(const Line& l) {
  return whole_cell(swapped(l), true);
}
ViewCell cache_cell(const Line& l) {
  return whole_cell(
      sum({memory(l, schema::memory["cached"]), memory(l, schema::memory["sreclaimable"])}), true);
}
ViewCell user_cell(const Line& l) {
  return whole_cell(user(l));
}
ViewCell system_cell(const Line& l) {
  return whole_cell(sum({cpu(l, CpuPart::system), cpu(l, CpuPart::irq), cpu(l, CpuPart::softirq)}));
}

enum class Shown { always, buffers, active };
struct VmstatColumn {
  const char* title;
  int narrow;  ///< width; 0: not shown
  int wide;
  ViewCell (*of)(const Line&);
  Shown shown = Shown::always;
};

/// vmstat -a shows inact and active in the places of buff and cache.
constexpr std::array kColumns{
    VmstatColumn{"r", 2, 4, gauge_cell<schema::system["running"]>},
    VmstatColumn{"b", 2, 4, gauge_cell<schema::system["blocked"]>},
    VmstatColumn{"swpd", 6, 12, swapped_cell},
    VmstatColumn{"free", 6, 12, memory_cell<schema::memory["free"]>},
    VmstatColumn{"buff", 6, 12, memory_cell<schema::memory["buffers"]>, Shown::buffers},
    VmstatColumn{"cache", 6, 12, cache_cell, Shown::buffers},
    VmstatColumn{"inact", 6, 12, memory_cell<schema::memory["inactive"]>, Shown::active},
    VmstatColumn{"active", 6, 12, memory_cell<schema::memory["active"]>, Shown::active},
    VmstatColumn{"si", 4, 4, pages_cell<schema::vm["swap_in"]>},
    VmstatColumn{"so", 4, 4, pages_cell<schema::vm["swap_out"]>},
    VmstatColumn{"bi", 5, 5, kib_cell<schema::vm["pages_in"]>},
    VmstatColumn{"bo", 5, 5, kib_cell<schema::vm["pages_out"]>},
    VmstatColumn{"in", 4, 4, rate_cell<schema::system["interrupts"]>},
    VmstatColumn{"cs", 4, 4, rate_cell<schema::system["context_switches"]>},
    VmstatColumn{"us", 2, 3, user_cell},
    VmstatColumn{"sy", 2, 3, system_cell},
    VmstatColumn{"id", 2, 3, cpu_cell<CpuPart::idle>},
    VmstatColumn{"wa", 2, 3, cpu_cell<CpuPart::iowait>},
    VmstatColumn{"st", 2, 3, cpu_cell<CpuPart::steal>},
    VmstatColumn{"gu", 0, 3, cpu_cell<CpuPart::guest>},
};

std::vector<ViewColumn<Line>> columns_of(const VmstatOptions& options) {
  std::vector<ViewColumn<Line>> columns;
  for (const VmstatColumn& c : kColumns) {
    int width = options.wide ? c.wide : c.narrow;
    bool shown = c.shown == Shown::always || (c.shown == Shown::active) == options.active;
    if (shown && width > 0) columns.push_back({c.title, c.title, width, Align::right, c.of});
  }
  return columns;
}

constexpr const char* kNarrowGroups =
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----";
constexpr const char* kWideGroups =
    "--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- "
    "----------cpu----------";
}  // namespace

std::optional<uint64_t> vmstat_unit(char letter) {
  switch (letter) {
    case 'b':
    case 'B':
      return 1;
    case 'k':
      return 1000;
    case 'K':
      return 1024;
    case 'm':
      return 1000000;
    case 'M':
      return 1048576;
    default:
      return std::nullopt;
  }
}

Selection vmstat_selection() {
  return {TableId::host, TableId::cpu, TableId::system, TableId::memory, TableId::vm};
}
Selection vmstat_disk_selection() {
  return {TableId::disk};
}

std::string vmstat_header(const VmstatOptions& options, int64_t realtime_ns) {
  std::string out = options.wide ? kWideGroups : kNarrowGroups;
  if (options.timestamp) out += kTimeGroup;
  out += "\n" + view_header<Line>(columns_of(options));
  if (options.timestamp) out += zone(realtime_ns);
  return out + "\n";
}

std::string vmstat_line(const Window& window, const VmstatOptions& options) {
  std::string out = view_line<Line>(columns_of(options), {window, options});
  if (options.timestamp) out += time_of(window.end().clock.realtime_ns);
  return out + "\n";
}

Json vmstat_json(const Window& window, const VmstatOptions& options) {
  Json json{{"time", rfc3339(window.end().clock.realtime_ns, 3)}, {"seconds", window.seconds()}};
  add_json<Line>(columns_of(options), {window, options}, json);
  return json;
}

}  // namespace tacho
