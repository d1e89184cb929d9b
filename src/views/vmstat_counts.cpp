// vmstat -s and -d: what has been counted, without a rate.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/clock.h"
#include "render/number.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/memory.h"
#include "schema/system.h"
#include "views/column.h"
#include "views/vmstat_parts.h"

namespace tacho {

using namespace vmstat_parts;

namespace {

struct Statistic {
  Number value;
  std::string label;
};

std::vector<Statistic> statistics(const Sample& sample, const VmstatOptions& options) {
  auto stored = [&](Column column) {
    const Rows* rows = sample.rows(column.table);
    if (rows == nullptr) return Number(Absent::not_read);
    if (rows->empty()) return Number(rows->absent);
    Value v = rows->at(0, column);
    return v ? Number(static_cast<double>(v.bits)) : Number(v.absent);
  };
  auto kib = [&](Column column) { return scaled(stored(column), 1024.0 / unit_of(options)); };
  std::string unit(1, options.unit);
  auto minus = [](Number a, Number b) { return a && b ? Number(*a - *b) : a ? b : a; };
  Number total = kib(schema::memory["total"]);
  Number swap_total = kib(schema::memory["swap_total"]);
  Number swap_free = kib(schema::memory["swap_free"]);
  struct Line {
    Number value;
    bool in_unit;
    const char* label;
  };
  const Line lines[] = {
      {total, true, "total memory"},
      {minus(total, kib(schema::memory["available"])), true, "used memory"},
      {kib(schema::memory["active"]), true, "active memory"},
      {kib(schema::memory["inactive"]), true, "inactive memory"},
      {kib(schema::memory["free"]), true, "free memory"},
      {kib(schema::memory["buffers"]), true, "buffer memory"},
      {sum({kib(schema::memory["cached"]), kib(schema::memory["sreclaimable"])}), true,
       "swap cache"},
      {swap_total, true, "total swap"},
      {minus(swap_total, swap_free), true, "used swap"},
      {swap_free, true, "free swap"},
      {minus(stored(schema::cpu["user"]), stored(schema::cpu["guest"])), false,
       "non-nice user cpu ticks"},
      {minus(stored(schema::cpu["nice"]), stored(schema::cpu["guest_nice"])), false,
       "nice user cpu ticks"},
      {stored(schema::cpu["system"]), false, "system cpu ticks"},
      {stored(schema::cpu["idle"]), false, "idle cpu ticks"},
      {stored(schema::cpu["iowait"]), false, "IO-wait cpu ticks"},
      {stored(schema::cpu["irq"]), false, "IRQ cpu ticks"},
      {stored(schema::cpu["softirq"]), false, "softirq cpu ticks"},
      {stored(schema::cpu["steal"]), false, "stolen cpu ticks"},
      {stored(schema::cpu["guest"]), false, "non-nice guest cpu ticks"},
      {stored(schema::cpu["guest_nice"]), false, "nice guest cpu ticks"},
      {stored(schema::vm["pages_in"]), false, "K paged in"},
      {stored(schema::vm["pages_out"]), false, "K paged out"},
      {stored(schema::vm["swap_in"]), false, "pages swapped in"},
      {stored(schema::vm["swap_out"]), false, "pages swapped out"},
      {stored(schema::system["interrupts"]), false, "interrupts"},
      {stored(schema::system["context_switches"]), false, "CPU context switches"},
      {stored(schema::system["boot_time"]), false, "boot time"},
      {stored(schema::system["forks"]), false, "forks"},
  };
  std::vector<Statistic> out;
  for (const Line& line : lines) {
    out.push_back({whole_units(line.value), (line.in_unit ? unit + " " : "") + line.label});
  }
  return out;
}

}  // namespace

std::string vmstat_statistics(const Sample& sample, const VmstatOptions& options) {
  std::string out;
  for (const Statistic& line : statistics(sample, options)) {
    out += fmt::format("{:>13} {}\n", format_fixed(line.value, 0), line.label);
  }
  return out;
}

Json vmstat_statistics_json(const Sample& sample, const VmstatOptions& options) {
  Json json{{"time", rfc3339(sample.clock.realtime_ns, 3)}};
  for (const Statistic& line : statistics(sample, options))
    json[line.label] = to_json(line.value);
  return json;
}

std::string vmstat_disk_header(const VmstatOptions& options, int64_t realtime_ns) {
  std::string first = options.wide
                          ? "disk- -------------------reads------------------- "
                            "-------------------writes------------------ ------IO-------"
                          : "disk- ------------reads------------ ------------writes----------- "
                            "-----IO------";
  std::string second =
      options.wide
          ? "          total    merged     sectors          ms     total    merged     sectors"
            "          ms     cur     sec"
          : "       total merged sectors      ms  total merged sectors      ms    cur    sec";
  if (options.timestamp) {
    first += kTimeGroup;
    second += zone(realtime_ns);
  }
  return first + "\n" + second + "\n";
}

namespace {

/// A disk's row.
struct Disk {
  const Rows& disks;
  size_t row;
};

template <Column column, uint64_t divisor = 1>
ViewCell count_cell(const Disk& d) {
  Value v = d.disks.at(d.row, column);
  return whole_cell(v ? Number(static_cast<double>(v.bits / divisor)) : Number(v.absent));
}
ViewCell device_cell(const Disk& d) {
  return text_cell(d.disks.text(d.row, schema::disk["device"]));
}

struct DiskColumn {
  const char* name;  ///< in JSON
  int narrow;
  int wide;
  Align align;
  ViewCell (*of)(const Disk&);
};

/// The original divides the requests in flight by 1000 too, and shows 0 but for a jammed disk.
constexpr std::array kDiskColumns{
    DiskColumn{"device", 5, 5, Align::left, device_cell},
    DiskColumn{"reads", 6, 9, Align::right, count_cell<schema::disk["reads"]>},
    DiskColumn{"reads_merged", 6, 9, Align::right, count_cell<schema::disk["reads_merged"]>},
    DiskColumn{"sectors_read", 7, 11, Align::right, count_cell<schema::disk["read_bytes"]>},
    DiskColumn{"read_ms", 7, 11, Align::right, count_cell<schema::disk["read_time"]>},
    DiskColumn{"writes", 6, 9, Align::right, count_cell<schema::disk["writes"]>},
    DiskColumn{"writes_merged", 6, 9, Align::right, count_cell<schema::disk["writes_merged"]>},
    DiskColumn{"sectors_written", 7, 11, Align::right, count_cell<schema::disk["write_bytes"]>},
    DiskColumn{"write_ms", 7, 11, Align::right, count_cell<schema::disk["write_time"]>},
    DiskColumn{"current", 6, 7, Align::right, count_cell<schema::disk["in_flight"]>},
    DiskColumn{"busy_s", 6, 7, Align::right, count_cell<schema::disk["busy_time"], 1000>},
};

std::vector<ViewColumn<Disk>> disk_columns(bool wide) {
  std::vector<ViewColumn<Disk>> columns;
  for (const DiskColumn& c : kDiskColumns)
    columns.push_back({c.name, c.name, wide ? c.wide : c.narrow, c.align, c.of});
  return columns;
}

/// Calls `use` for the row of each whole disk.
template <typename Use>
void for_each_disk(const Sample& sample, Use use) {
  const Rows* disks = sample.rows(TableId::disk);
  for (size_t row = 0; disks != nullptr && row < disks->size(); ++row) {
    if (!disks->at(row, schema::disk["partition"])) use(*disks, row);
  }
}

}  // namespace

std::string vmstat_disk_lines(const Sample& sample, const VmstatOptions& options) {
  std::string out;
  for_each_disk(sample, [&](const Rows& disks, size_t row) {
    out += view_line<Disk>(disk_columns(options.wide), {disks, row});
    if (options.timestamp) out += time_of(sample.clock.realtime_ns);
    out += "\n";
  });
  return out;
}

Json vmstat_disk_json(const Sample& sample) {
  Json all = Json::array();
  for_each_disk(sample, [&](const Rows& disks, size_t row) {
    Json disk;
    add_json<Disk>(disk_columns(false), {disks, row}, disk);
    all.push_back(std::move(disk));
  });
  return {{"time", rfc3339(sample.clock.realtime_ns, 3)}, {"disks", std::move(all)}};
}

}  // namespace tacho
