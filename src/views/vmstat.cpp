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
#include "views/vmstat_parts.h"

namespace tacho {

using namespace vmstat_parts;

namespace {

using figure::CpuPart;

Number cpu(const Window& w, CpuPart part) {
  const TableWindow& table = w.table(TableId::cpu);
  return table.size() > 0 ? figure::cpu_share(w, 0, part) : Number(table.absent());
}
Number system(const Window& w, Column column) {
  const TableWindow& table = w.table(TableId::system);
  return table.size() > 0 ? table.gauge(0, column) : Number(table.absent());
}
Number memory(const Window& w, Column column, const VmstatOptions& o) {
  const TableWindow& table = w.table(TableId::memory);
  if (table.size() == 0) return table.absent();
  return scaled(table.gauge(0, column), 1 / unit_of(o));
}
Number rate(const Window& w, Column column) {
  const TableWindow& table = w.table(column.table);
  return table.size() > 0 ? table.rate(0, column) : Number(table.absent());
}
/// Swapped pages a second, in the unit of memory. No pages are nothing, whatever a page's size.
Number pages(const Window& w, Column column, const VmstatOptions& o) {
  Number per_second = rate(w, column);
  if (!per_second || *per_second == 0) return per_second;
  const TableWindow& host = w.table(TableId::host);
  if (host.size() == 0) return host.absent();
  Number page = host.gauge(0, schema::host["page_size"]);
  return page ? scaled(per_second, *page / unit_of(o)) : page;
}

struct ViewColumn {
  const char* title;
  int narrow;  ///< width; 0: not shown
  int wide;
  Number (*of)(const Window&, const VmstatOptions&);
  bool cuts = false;  ///< shows whole units, cut off rather than rounded
};

Number swapped(const Window& w, const VmstatOptions& o) {
  Number total = memory(w, schema::memory["swap_total"], o);
  Number free = memory(w, schema::memory["swap_free"], o);
  return total && free ? Number(*total - *free) : total ? free : total;
}
Number cache(const Window& w, const VmstatOptions& o) {
  return sum(
      {memory(w, schema::memory["cached"], o), memory(w, schema::memory["sreclaimable"], o)});
}
/// Guest time is in user too. The wide form shows it apart, so there it is taken out of us.
Number user(const Window& w, const VmstatOptions& o) {
  Number all = sum({cpu(w, CpuPart::user), cpu(w, CpuPart::nice)});
  Number guest = cpu(w, CpuPart::guest);
  return o.wide && all && guest ? Number(std::max(*all - *guest, 0.0)) : all;
}

constexpr std::array kColumns{
    ViewColumn{
        "r", 2, 4,
        [](const Window& w, const VmstatOptions&) { return system(w, schema::system["running"]); }},
    ViewColumn{
        "b", 2, 4,
        [](const Window& w, const VmstatOptions&) { return system(w, schema::system["blocked"]); }},
    ViewColumn{"swpd", 6, 12, swapped, true},
    ViewColumn{"free", 6, 12,
               [](const Window& w, const VmstatOptions& o) {
                 return memory(w, schema::memory["free"], o);
               },
               true},
    ViewColumn{"buff", 6, 12,
               [](const Window& w, const VmstatOptions& o) {
                 return memory(w, schema::memory["buffers"], o);
               },
               true},
    ViewColumn{"cache", 6, 12, cache, true},
    ViewColumn{
        "si", 4, 4,
        [](const Window& w, const VmstatOptions& o) { return pages(w, schema::vm["swap_in"], o); }},
    ViewColumn{"so", 4, 4,
               [](const Window& w, const VmstatOptions& o) {
                 return pages(w, schema::vm["swap_out"], o);
               }},
    ViewColumn{"bi", 5, 5,
               [](const Window& w, const VmstatOptions&) {
                 return scaled(rate(w, schema::vm["pages_in"]), 1.0 / 1024);
               }},
    ViewColumn{"bo", 5, 5,
               [](const Window& w, const VmstatOptions&) {
                 return scaled(rate(w, schema::vm["pages_out"]), 1.0 / 1024);
               }},
    ViewColumn{"in", 4, 4,
               [](const Window& w, const VmstatOptions&) {
                 return rate(w, schema::system["interrupts"]);
               }},
    ViewColumn{"cs", 4, 4,
               [](const Window& w, const VmstatOptions&) {
                 return rate(w, schema::system["context_switches"]);
               }},
    ViewColumn{"us", 2, 3, user},
    ViewColumn{
        "sy", 2, 3,
        [](const Window& w, const VmstatOptions&) {
          return sum({cpu(w, CpuPart::system), cpu(w, CpuPart::irq), cpu(w, CpuPart::softirq)});
        }},
    ViewColumn{"id", 2, 3,
               [](const Window& w, const VmstatOptions&) { return cpu(w, CpuPart::idle); }},
    ViewColumn{"wa", 2, 3,
               [](const Window& w, const VmstatOptions&) { return cpu(w, CpuPart::iowait); }},
    ViewColumn{"st", 2, 3,
               [](const Window& w, const VmstatOptions&) { return cpu(w, CpuPart::steal); }},
    ViewColumn{"gu", 0, 3,
               [](const Window& w, const VmstatOptions&) { return cpu(w, CpuPart::guest); }},
};

/// vmstat -a shows these in the places of buff and cache.
constexpr std::array kActive{
    ViewColumn{"inact", 6, 12,
               [](const Window& w, const VmstatOptions& o) {
                 return memory(w, schema::memory["inactive"], o);
               },
               true},
    ViewColumn{"active", 6, 12,
               [](const Window& w, const VmstatOptions& o) {
                 return memory(w, schema::memory["active"], o);
               },
               true},
};

std::vector<ViewColumn> columns_of(const VmstatOptions& options) {
  std::vector<ViewColumn> columns;
  for (ViewColumn column : kColumns) {
    if (options.active && std::string_view(column.title) == "buff") column = kActive[0];
    if (options.active && std::string_view(column.title) == "cache") column = kActive[1];
    if ((options.wide ? column.wide : column.narrow) > 0) columns.push_back(column);
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
  FieldLine titles;
  for (const ViewColumn& column : columns_of(options)) {
    titles.add(column.title, options.wide ? column.wide : column.narrow);
  }
  out += "\n" + titles.text();
  if (options.timestamp) out += zone(realtime_ns);
  return out + "\n";
}

std::string vmstat_line(const Window& window, const VmstatOptions& options) {
  FieldLine line;
  for (const ViewColumn& column : columns_of(options)) {
    Number value = column.of(window, options);
    line.add(whole(column.cuts ? whole_units(value) : value),
             options.wide ? column.wide : column.narrow);
  }
  std::string out = line.text();
  if (options.timestamp) out += time_of(window.end().clock.realtime_ns);
  return out + "\n";
}

Json vmstat_json(const Window& window, const VmstatOptions& options) {
  Json json{{"time", rfc3339(window.end().clock.realtime_ns, 3)}, {"seconds", window.seconds()}};
  for (const ViewColumn& column : columns_of(options)) {
    json[column.title] = to_json(column.of(window, options));
  }
  return json;
}

}  // namespace tacho
