#include "collect/exit_ledger.h"

#include <algorithm>

#include "schema/process.h"

namespace tacho {
namespace {

constexpr uint64_t kMicrosecondsPerTick = 10'000;  // USER_HZ is 100 on every machine we run on
constexpr uint64_t kKernelThreads = 2;             // kthreadd, the parent of them all
constexpr int kMostAncestors = 16;

/// Workers of the kernel carry their CPU and queue in their name: kworker/u8:3.
std::string command_of(const TaskExit& exit, const std::string& of_leader) {
  const std::string& name = of_leader.empty() ? exit.command : of_leader;
  return exit.parent == kKernelThreads ? name.substr(0, name.find('/')) : name;
}

}  // namespace

void ExitLedger::disable() {
  *this = ExitLedger();
  enabled_ = false;
}

void ExitLedger::scanned(const Rows& processes) {
  if (!enabled_) return;
  ++scan_;
  merged_.clear();
  auto old = seen_.begin();
  // What the scan before still listed stays: its end is heard of in the coming settle().
  auto keep = [&] {
    if (old->scan + 1 == scan_) merged_.push_back(std::move(*old));
    ++old;
  };
  for (size_t row = 0; row < processes.size(); ++row) {
    uint64_t pid = processes.at(row, schema::process["pid"]).bits;
    uint64_t start = processes.at(row, schema::process["start"]).bits;
    while (old != seen_.end() && (old->pid < pid || (old->pid == pid && old->start != start)))
      keep();
    if (old != seen_.end() && old->pid == pid) {
      merged_.push_back(std::move(*old++));
    } else {
      merged_.push_back({});
    }
    Seen& seen = merged_.back();
    seen.pid = pid;
    seen.start = start;
    seen.scan = scan_;
    seen.user_us = processes.at(row, schema::process["user_time"]).bits * kMicrosecondsPerTick;
    seen.system_us = processes.at(row, schema::process["system_time"]).bits * kMicrosecondsPerTick;
    std::string_view cgroup = processes.text(row, schema::process["cgroup"]);
    if (seen.cgroup != cgroup) seen.cgroup = cgroup;
  }
  while (old != seen_.end())
    keep();
  seen_.swap(merged_);
}

ExitLedger::Seen* ExitLedger::claim(uint64_t pid) {
  auto seen = std::ranges::lower_bound(seen_, pid, {}, &Seen::pid);
  while (seen != seen_.end() && seen->pid == pid && seen->ended)
    ++seen;
  return seen != seen_.end() && seen->pid == pid ? &*seen : nullptr;
}

const ExitLedger::Seen* ExitLedger::find(uint64_t pid, uint64_t start) const {
  auto seen = std::ranges::lower_bound(seen_, pid, {}, &Seen::pid);
  for (; seen != seen_.end() && seen->pid == pid; ++seen) {
    if (seen->start == start) return &*seen;
  }
  return nullptr;
}

void ExitLedger::end(const TaskExit& exit) {
  Used& used = ending_[exit.process];
  used.user_us += exit.user_us;
  used.system_us += exit.system_us;
  used.scan = scan_;
  if (exit.pid == exit.process) used.command = exit.command;
  if (!exit.last) return;
  Waiting waiting{exit, std::move(used)};
  ending_.erase(exit.process);
  if (Seen* seen = claim(exit.process)) {
    seen->ended = true;
    waiting.seen = true;
    waiting.start = seen->start;
  }
  parents_[exit.process] = exit.parent;
  waiting_.push_back(std::move(waiting));
}

std::vector<EndedProcess> ExitLedger::settle(const std::vector<TaskExit>& exits,
                                             uint64_t heard_us) {
  for (const TaskExit& exit : exits)
    end(exit);
  std::vector<EndedProcess> settled;
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    const Seen* seen = waiting.seen ? find(waiting.exit.process, waiting.start) : nullptr;
    if (seen != nullptr && seen->scan == scan_) return false;  // still listed
    settled.push_back(account(waiting, seen, heard_us));
    return true;
  });
  parents_.clear();
  // A process whose last message was lost would stay for ever.
  std::erase_if(ending_, [&](const auto& entry) {
    auto seen = std::ranges::lower_bound(seen_, entry.first, {}, &Seen::pid);
    bool listed = seen != seen_.end() && seen->pid == entry.first;
    return !listed && entry.second.scan < scan_;
  });
  return settled;
}

EndedProcess ExitLedger::account(const Waiting& waiting, const Seen* seen,
                                 uint64_t heard_us) const {
  const TaskExit& exit = waiting.exit;
  const Used& used = waiting.used;
  EndedProcess ended;
  ended.command = command_of(exit, used.command);
  ended.uid = exit.uid;
  ended.failed = exit.exit_code != 0;
  ended.cgroup = seen != nullptr ? seen->cgroup : cgroup_above(exit.parent);
  uint64_t ticks = used.user_us + used.system_us;
  uint64_t run = exit.process_run_ns.value_or(exit.run_ns) / 1000;
  if (seen == nullptr) {
    if (exit.process_age_us > heard_us) return ended;
    ended.user_us = used.user_us;
    ended.system_us = used.system_us;
    ended.run_us = run;
    return ended;
  }
  // The process table has the scheduler's clock, shared out between user and kernel in the ratio of
  // the ticks (cputime_adjust in kernel/sched/cputime.c); so does what is left of it.
  uint64_t total = run != 0 ? run : ticks;
  uint64_t before = seen->user_us + seen->system_us;
  uint64_t unseen = total > before ? total - before : 0;
  double share = ticks == 0 ? 1 : static_cast<double>(used.user_us) / static_cast<double>(ticks);
  auto user = static_cast<uint64_t>(static_cast<double>(total) * share);
  ended.user_us = std::min(unseen, user > seen->user_us ? user - seen->user_us : 0);
  ended.system_us = unseen - ended.user_us;
  ended.run_us = unseen;
  return ended;
}

std::string ExitLedger::cgroup_above(uint64_t parent) const {
  for (int level = 0; level < kMostAncestors; ++level) {
    auto seen = std::ranges::upper_bound(seen_, parent, {}, &Seen::pid);  // the latest of that pid
    if (seen != seen_.begin() && std::prev(seen)->pid == parent) return std::prev(seen)->cgroup;
    auto above = parents_.find(parent);
    if (above == parents_.end()) break;
    parent = above->second;
  }
  return "";
}

}  // namespace tacho
