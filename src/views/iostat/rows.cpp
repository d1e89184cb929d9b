#include "views/iostat/rows.h"

#include <algorithm>

#include "schema/disk.h"

namespace tacho::iostat {
namespace {

/// The disks of a window and which of them were taken already.
class Disks {
 public:
  Disks(const Window& window, const IostatOptions& options)
      : window_(window),
        table_(window.table(TableId::disk)),
        options_(options),
        taken_(table_.size()) {}

  [[nodiscard]] size_t size() const { return table_.size(); }
  [[nodiscard]] std::string_view kernel_name(size_t row) const {
    return table_.text(row, schema::disk["device"]);
  }
  [[nodiscard]] std::string shown_name(size_t row) const {
    std::string_view mapped = table_.text(row, schema::disk["dm_name"]);
    return std::string(options_.dm_names && !mapped.empty() ? mapped : kernel_name(row));
  }
  [[nodiscard]] bool is_partition(size_t row) const {
    return table_.rows()->at(row, schema::disk["partition"]).has();
  }
  /// Whether it ever had a request. Flushes alone do not count, as in the original.
  [[nodiscard]] bool is_used(size_t row) const {
    for (Column column :
         {schema::disk["reads"], schema::disk["writes"], schema::disk["discards"]}) {
      Value value = table_.rows()->at(row, column);
      if (value && value.bits != 0) return true;
    }
    return false;
  }
  [[nodiscard]] bool taken(size_t row) const { return taken_[row]; }
  Line take(size_t row) {
    taken_[row] = true;
    return {shown_name(row), false, DiskUse::of(window_, row), &options_};
  }
  /// The row of that device; npos where there is none.
  [[nodiscard]] size_t find(std::string_view name) const {
    for (size_t row = 0; row < size(); ++row) {
      if (kernel_name(row) == name || (options_.dm_names && shown_name(row) == name)) return row;
    }
    return npos;
  }
  /// Its partitions: devices that begin with its name and go on with a number, after a p where the
  /// name itself ends in a digit.
  [[nodiscard]] std::vector<size_t> partitions_of(size_t disk) const {
    std::vector<size_t> parts;
    std::string_view name = kernel_name(disk);
    bool ends_in_digit = !name.empty() && name.back() >= '0' && name.back() <= '9';
    for (size_t row = 0; row < size(); ++row) {
      std::string_view part = kernel_name(row);
      if (part.size() <= name.size() || !part.starts_with(name)) continue;
      part.remove_prefix(name.size());
      if (ends_in_digit && part.front() != 'p') continue;
      if (ends_in_digit) part.remove_prefix(1);
      bool number = !part.empty() && std::all_of(part.begin(), part.end(),
                                                 [](char c) { return c >= '0' && c <= '9'; });
      if (number) parts.push_back(row);
    }
    return parts;
  }
  static constexpr size_t npos = static_cast<size_t>(-1);

 private:
  const Window& window_;
  const TableWindow& table_;
  const IostatOptions& options_;
  std::vector<bool> taken_;
};

bool moved(const DiskUse& use) {
  for (Number n : {use.reads.count, use.writes.count, use.discards.count, use.flushes}) {
    if (n.absent == Absent::not_supported) continue;
    if (!n || *n != 0) return true;
  }
  return false;
}

/// The rows of one named device, with its partitions where they are wanted, by name.
std::vector<size_t> rows_of(const IostatEntry& entry, const Disks& disks) {
  size_t row = disks.find(entry.name);
  if (row == Disks::npos) return {};
  std::vector<size_t> rows{row};
  if (entry.partitions) {
    std::vector<size_t> parts = disks.partitions_of(row);
    std::ranges::sort(parts, {}, [&](size_t r) { return disks.kernel_name(r); });
    rows.insert(rows.end(), parts.begin(), parts.end());
  }
  return rows;
}

std::vector<size_t> whole_by_name(const Disks& disks) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < disks.size(); ++row) {
    if (!disks.is_partition(row)) rows.push_back(row);
  }
  std::ranges::sort(rows, {}, [&](size_t r) { return disks.kernel_name(r); });
  return rows;
}

std::vector<size_t> named_by_name(const IostatOptions& options, const Disks& disks) {
  std::vector<size_t> rows;
  for (const IostatEntry& entry : options.entries) {
    for (size_t row : rows_of(entry, disks)) {
      if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
    }
  }
  if (options.all && !options.all_partitions) {
    for (size_t row : whole_by_name(disks)) {
      if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
    }
  }
  std::ranges::sort(rows, {}, [&](size_t r) { return disks.kernel_name(r); });
  return rows;
}

}  // namespace

std::vector<Line> lines_of(const Window& window, const IostatOptions& options) {
  Disks disks(window, options);
  std::vector<Line> lines;
  Line group{"", true, DiskUse::none(), &options};
  bool grouped = false;
  auto add = [&](Line line) {
    if (grouped) group.use += line.use;
    bool hidden = options.only_groups || (options.omit_idle && !moved(line.use));
    if (!hidden) lines.push_back(std::move(line));
  };
  auto end_group = [&] {
    if (grouped) lines.push_back(group);
    group.use = DiskUse::none();
  };
  bool has_groups = std::ranges::any_of(options.entries, &IostatEntry::is_group);
  if (has_groups) {
    for (const IostatEntry& entry : options.entries) {
      if (entry.is_group) {
        end_group();
        grouped = true;
        group.name = " " + entry.name;
        continue;
      }
      for (size_t row : rows_of(entry, disks)) {
        if (!disks.taken(row)) add(disks.take(row));
      }
    }
    bool whole_too = options.all && !options.all_partitions;
    for (size_t row : whole_too ? whole_by_name(disks) : std::vector<size_t>{}) {
      if (!disks.taken(row)) add(disks.take(row));
    }
  } else {
    for (size_t row : named_by_name(options, disks))
      add(disks.take(row));
  }
  // Nothing named: what was ever used. ALL: the rest too.
  bool rest = options.all_partitions || options.used_partitions ||
              (options.entries.empty() && !options.all);
  for (size_t row = 0; rest && row < disks.size(); ++row) {
    bool with_partitions = options.all_partitions || options.used_partitions;
    bool unused_too = options.all_partitions;
    if (disks.taken(row) || (!with_partitions && disks.is_partition(row)) ||
        (!unused_too && !disks.is_used(row)))
      continue;
    add(disks.take(row));
  }
  end_group();
  return lines;
}

}  // namespace tacho::iostat
