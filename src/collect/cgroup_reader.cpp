#include "collect/cgroup_reader.h"

#include <algorithm>
#include <map>
#include <string>

#include "collect/cgroup_files.h"
#include "collect/tree.h"
#include "schema/cgroup.h"

namespace tacho {
namespace {

constexpr int64_t kListAgain = 10 * kSecond;
constexpr size_t kDescriptors = 1024;
/// Processes of the watched tree that are asked for their groups.
constexpr size_t kMostAsked = 256;
/// v1 writes "no limit" as the largest number of whole pages.
constexpr uint64_t kNoLimit = uint64_t{1} << 60;

/// A group and what was read of it last.
struct Group {
  explicit Group(size_t sources, DescriptorBudget& budget) : files(sources, budget) {}
  CgroupFiles files;
  uint32_t hierarchies = 0;  ///< bit n: it exists in hierarchy n
  std::vector<Value> cells;
  int64_t read_whole_ns = 0;
  uint64_t listed = 0;
};

class CgroupReader : public Reader {
 public:
  explicit CgroupReader(std::shared_ptr<const WatchList> list)
      : list_(std::move(list)), budget_(kDescriptors), sources_(cgroup_sources()) {}
  TableId table() const override { return TableId::cgroup; }
  bool slow() const override { return true; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    int64_t now = collecting.clock.monotonic_ns;
    bool moved = epoch_ != collecting.machine.epoch() || version_ != list_->version();
    if (listings_ == 0 || moved || incomplete_ || now - listed_ns_ >= kListAgain) {
      list_groups(collecting.machine);
      listed_ns_ = now;
      epoch_ = collecting.machine.epoch();
      version_ = list_->version();
    }
    if (hierarchies_.empty()) {
      return fail(Errc::not_supported, "no hierarchy of control groups is mounted");
    }
    incomplete_ = false;
    for (auto& [path, group] : groups_)
      read_group(collecting, path, *group, rows);
    return {};
  }

 private:
  void list_groups(const Machine& machine) {
    if (epoch_ != machine.epoch()) groups_.clear();
    hierarchies_ = find_hierarchies(machine);
    if (hierarchies_.size() > 32) hierarchies_.resize(32);
    ++listings_;
    for (CgroupSource& source : sources_) {
      source.hierarchy.reset();
      for (size_t i = 0; i < hierarchies_.size(); ++i) {
        if (hierarchies_[i].has(source.controller)) source.hierarchy = i;
      }
    }
    add_watched(machine);
    std::vector<std::string> found;
    for (size_t i = 0; i < hierarchies_.size(); ++i) {
      bool read = std::ranges::any_of(
          sources_, [&](const CgroupSource& source) { return source.hierarchy == i; });
      if (!read) continue;
      found.clear();
      list_populated_groups(machine, hierarchies_[i], kMostGroups, found);
      for (const std::string& path : found)
        add(path, i);
    }
    std::erase_if(groups_, [&](const auto& entry) { return entry.second->listed != listings_; });
    for (auto& [path, group] : groups_)
      group->files.retry();
  }

  /// The watched tree's groups come first, so that they are there whatever the bound.
  void add_watched(const Machine& machine) {
    for (const std::string& path : list_->cgroups()) {
      for (size_t i = 0; i < hierarchies_.size(); ++i) {
        auto folder = folder_of(hierarchies_[i], path);
        if (folder && machine.exists(folder->c_str())) add(path, i);
      }
    }
    std::vector<uint64_t> pids = list_->members();
    for (uint64_t pid : list_->pids())
      pids.push_back(pid);
    if (pids.size() > kMostAsked) pids.resize(kMostAsked);
    Buffer buffer;
    for (uint64_t pid : pids) {
      auto text = machine.read(fmt::format("proc/{}/cgroup", pid).c_str(), buffer);
      if (!text) continue;
      for (const CgroupMembership& membership : parse_process_cgroups(*text)) {
        for (size_t i = 0; i < hierarchies_.size(); ++i) {
          if (hierarchies_[i].has(membership.controllers.front())) {
            add(std::string(membership.path), i);
          }
        }
      }
    }
  }

  /// The group and its ancestors, as far up as the hierarchy shows them.
  void add(const std::string& path, size_t hierarchy) {
    std::string_view at = path;
    for (; !at.empty(); at = parent_group(at)) {
      if (!folder_of(hierarchies_[hierarchy], at)) return;
      auto& group = groups_[std::string(at)];
      if (!group) {
        if (groups_.size() > kMostGroups) {
          groups_.erase(std::string(at));
          return;
        }
        group = std::make_unique<Group>(sources_.size(), budget_);
      }
      if (group->listed != listings_) group->hierarchies = 0;
      group->listed = listings_;
      uint32_t bit = uint32_t{1} << hierarchy;
      if ((group->hierarchies & bit) != 0) return;  // and so all its ancestors
      group->hierarchies |= bit;
    }
  }

  void read_group(Collecting& collecting, const std::string& path, Group& group, Rows& rows) {
    size_t row = rows.append();
    ranks_.reset(rows.width());
    reasons_.assign(rows.width(), Absent::not_supported);
    int64_t now = collecting.clock.monotonic_ns;
    bool whole = group.cells.empty() || now - group.read_whole_ns >= kListAgain;
    bool ran = true;
    bool any = false;
    for (size_t i = 0; i < sources_.size(); ++i) {
      CgroupSource& source = sources_[i];
      if (!source.wanted(ranks_)) continue;
      bool skip = !whole && (source.setting || (source.memory && !ran));
      if (skip) {
        take_over(source, group, rows, row);
        continue;
      }
      any = read_source(collecting, path, group, i, rows, row) || any;
      // The CPU time comes first of all (see the table): what it tells spares the rest.
      if (!group.cells.empty() && ranks_.filled(kUsage)) {
        Value before = group.cells[kUsage];
        ran = !before || before.bits != rows.at(row, kUsage).bits;
      }
    }
    if (!any) {  // it was removed
      rows.drop_last();
      incomplete_ = true;
      return;
    }
    finish(path, rows, row);
    if (whole) group.read_whole_ns = now;
    group.cells.resize(rows.width());
    for (size_t column = 0; column < rows.width(); ++column)
      group.cells[column] = rows.at(row, column);
  }

  void take_over(const CgroupSource& source, const Group& group, Rows& rows, size_t row) {
    for (const Binding& binding : source.parser.bindings()) {
      uint16_t column = binding.target.column;
      Value value = group.cells[column];
      if (!value) {
        reasons_[column] = value.absent;
      } else if (ranks_.take(binding.target)) {
        rows.set(row, column, value.bits);
      }
    }
  }

  /// Whether the file could be read.
  bool read_source(Collecting& collecting, const std::string& path, Group& group, size_t index,
                   Rows& rows, size_t row) {
    CgroupSource& source = sources_[index];
    if (!source.hierarchy) return false;
    Absent reason = Absent::not_applicable;  // the group does not exist for this controller
    bool read = false;
    if ((group.hierarchies >> *source.hierarchy & 1) != 0) {
      auto folder = folder_of(hierarchies_[*source.hierarchy], path);
      std::string file = folder.value_or("") + "/" + source.file;
      auto text = group.files.read(index, file, collecting.machine, collecting.buffer);
      read = text.has_value();
      if (text) source.parse(*text, rows, row, ranks_);
      reason = text ? Absent::not_supported : absent_of(text.error());
      // The root group has no limits.
      if (!text && source.setting && path == "/") reason = Absent::not_applicable;
    }
    for (const Binding& binding : source.parser.bindings()) {
      Absent& known = reasons_[binding.target.column];
      if (known == Absent::not_supported) known = reason;
    }
    return read;
  }

  void finish(const std::string& path, Rows& rows, size_t row) {
    rows.set_text(row, schema::cgroup["path"], path);
    for (size_t column = 0; column < rows.width(); ++column) {
      bool is_path = column == schema::cgroup["path"].index;
      if (!is_path && !ranks_.filled(static_cast<uint16_t>(column))) {
        rows.set_absent(row, column, reasons_[column]);
      }
    }
    Value limit = rows.at(row, schema::cgroup["memory_limit"]);
    if (limit && limit.bits >= kNoLimit) {
      rows.set_absent(row, schema::cgroup["memory_limit"], Absent::not_applicable);
    }
  }

  static constexpr uint16_t kUsage = schema::cgroup["usage_time"].index;

  std::shared_ptr<const WatchList> list_;
  DescriptorBudget budget_;
  std::vector<CgroupSource> sources_;
  std::vector<CgroupHierarchy> hierarchies_;
  std::map<std::string, std::unique_ptr<Group>> groups_;
  Ranks ranks_;
  std::vector<Absent> reasons_;
  uint64_t listings_ = 0;
  int64_t listed_ns_ = 0;
  uint64_t epoch_ = 0;
  uint64_t version_ = 0;
  bool incomplete_ = false;
};

}  // namespace

std::unique_ptr<Reader> make_cgroup_reader(std::shared_ptr<const WatchList> list) {
  return std::make_unique<CgroupReader>(std::move(list));
}

}  // namespace tacho
