// Which processes are the watched tree: given roots with all that descends from them.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tacho {

/// pid and start time: a pid alone may be given to another process.
struct ProcessId {
  uint64_t pid = 0;
  uint64_t start = 0;  ///< in clock ticks after boot
  bool operator==(const ProcessId&) const = default;
};

/// What somebody asked to be watched. Any thread may change it.
class WatchList {
 public:
  /// A process and its descendants, from now on. It is identified when it is first seen.
  void add_pid(uint64_t pid);
  /// All processes of a control group and of the groups below it.
  void add_cgroup(std::string path);
  void clear();
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::vector<uint64_t> pids() const;
  [[nodiscard]] std::vector<std::string> cgroups() const;
  /// Grows with every change.
  [[nodiscard]] uint64_t version() const;

  /// Who is in the watched tree now, as the reader of processes has found it: for readers of other
  /// threads. Empty while nothing is watched or processes are not read.
  void set_members(std::vector<uint64_t> pids);
  [[nodiscard]] std::vector<uint64_t> members() const;

 private:
  mutable std::mutex mutex_;
  std::vector<uint64_t> pids_;
  std::vector<std::string> cgroups_;
  std::vector<uint64_t> members_;
  uint64_t version_ = 0;
};

/// Follows the tree from scan to scan. A descendant stays one when its parent ends and it is given
/// to another (PID 1 or a subreaper).
class Tree {
 public:
  struct Member {
    ProcessId id;
    uint64_t parent = 0;
    std::string_view cgroup;
  };
  explicit Tree(const WatchList& list) : list_(list) {}
  /// `scan` holds all processes of now. Afterwards watched() tells.
  void update(const std::vector<Member>& scan);
  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] bool watched(uint64_t pid) const { return watched_.contains(pid); }
  /// Ascending.
  [[nodiscard]] std::vector<uint64_t> watched_pids() const;

 private:
  const WatchList& list_;
  bool active_ = false;
  uint64_t version_ = UINT64_MAX;
  std::unordered_map<uint64_t, uint64_t> roots_;    ///< pid → start, once seen
  std::unordered_map<uint64_t, uint64_t> watched_;  ///< pid → start
};

}  // namespace tacho
