#include "collect/tree.h"

#include <algorithm>

namespace tacho {

void WatchList::add_pid(uint64_t pid) {
  std::lock_guard lock(mutex_);
  if (std::ranges::find(pids_, pid) == pids_.end()) pids_.push_back(pid);
  ++version_;
}

void WatchList::add_cgroup(std::string path) {
  std::lock_guard lock(mutex_);
  cgroups_.push_back(std::move(path));
  ++version_;
}

void WatchList::clear() {
  std::lock_guard lock(mutex_);
  pids_.clear();
  cgroups_.clear();
  ++version_;
}

bool WatchList::empty() const {
  std::lock_guard lock(mutex_);
  return pids_.empty() && cgroups_.empty();
}

std::vector<uint64_t> WatchList::pids() const {
  std::lock_guard lock(mutex_);
  return pids_;
}

std::vector<std::string> WatchList::cgroups() const {
  std::lock_guard lock(mutex_);
  return cgroups_;
}

uint64_t WatchList::version() const {
  std::lock_guard lock(mutex_);
  return version_;
}

void WatchList::set_members(std::vector<uint64_t> pids) {
  std::lock_guard lock(mutex_);
  members_ = std::move(pids);
}

std::vector<uint64_t> WatchList::members() const {
  std::lock_guard lock(mutex_);
  return members_;
}

std::vector<uint64_t> Tree::watched_pids() const {
  std::vector<uint64_t> pids;
  pids.reserve(watched_.size());
  for (const auto& [pid, start] : watched_)
    pids.push_back(pid);
  std::ranges::sort(pids);
  return pids;
}

namespace {

bool inside(std::string_view cgroup, std::string_view group) {
  return cgroup.starts_with(group) &&
         (cgroup.size() == group.size() || group.ends_with('/') || cgroup[group.size()] == '/');
}

}  // namespace

void Tree::update(const std::vector<Member>& scan) {
  active_ = !list_.empty();
  if (!active_) {
    watched_.clear();
    roots_.clear();
    return;
  }
  if (version_ != list_.version()) {
    // A root that was asked for anew is identified anew; one that is no longer asked for is
    // dropped.
    version_ = list_.version();
    auto pids = list_.pids();
    std::erase_if(roots_, [&](const auto& root) {
      return std::ranges::find(pids, root.first) == pids.end();
    });
    watched_.clear();
  }
  auto pids = list_.pids();
  auto cgroups = list_.cgroups();
  std::unordered_map<uint64_t, uint64_t> now;
  std::unordered_map<uint64_t, std::vector<const Member*>> children;
  std::vector<const Member*> open;
  for (const Member& member : scan) {
    children[member.parent].push_back(&member);
    auto known = watched_.find(member.id.pid);
    bool was = known != watched_.end() && known->second == member.id.start;
    bool asked = std::ranges::find(pids, member.id.pid) != pids.end();
    if (asked) {
      auto root = roots_.emplace(member.id.pid, member.id.start).first;
      asked = root->second == member.id.start;  // else its pid was given to another
    }
    bool grouped = std::ranges::any_of(
        cgroups, [&](const auto& group) { return inside(member.cgroup, group); });
    if (was || asked || grouped) open.push_back(&member);
  }
  while (!open.empty()) {
    const Member* member = open.back();
    open.pop_back();
    if (!now.emplace(member->id.pid, member->id.start).second) continue;
    auto below = children.find(member->id.pid);
    if (below == children.end()) continue;
    open.insert(open.end(), below->second.begin(), below->second.end());
  }
  watched_ = std::move(now);
}

}  // namespace tacho
