#include "collect/exit_sums.h"

#include <algorithm>

#include "schema/process.h"

namespace tacho {

void ExitSums::add(const EndedProcess& ended) {
  Key key{ended.command.empty() ? "(unnamed)" : ended.command, ended.cgroup, ended.uid};
  if (sums_.size() >= kMost && !by_key_.contains(key)) key = {"(others)", "", 0};
  auto [entry, fresh] = by_key_.try_emplace(key, sums_.size());
  if (fresh) sums_.push_back({std::move(key)});
  Sum& sum = sums_[entry->second];
  ++sum.exits;
  sum.failed += ended.failed ? 1 : 0;
  sum.user_us += ended.user_us;
  sum.system_us += ended.system_us;
  sum.run_us += ended.run_us;
}

/// The kernel counts the user and system time of a task by its ticks: a matter of luck for one
/// short task, right for many. The scheduler's clock is never too much, so where it is more it is
/// right, and is shared out in the ratio of the ticks. What was shown once never falls.
void ExitSums::Sum::show() {
  uint64_t ticks = user_us + system_us;
  uint64_t more = run_us > ticks ? run_us - ticks : 0;
  double share = ticks == 0 ? 1 : static_cast<double>(user_us) / static_cast<double>(ticks);
  auto more_user = static_cast<uint64_t>(static_cast<double>(more) * share);
  shown_user_us = std::max(shown_user_us, user_us + more_user);
  shown_system_us = std::max(shown_system_us, system_us + (more - more_user));
}

void ExitSums::fill(Rows& rows, uint64_t lost,
                    const std::function<std::string(uint64_t uid)>& user_name) {
  using schema::process_exit;
  size_t first = rows.append();
  for (size_t c = 0; c < rows.width(); ++c)
    rows.set_absent(first, c, Absent::not_applicable);
  rows.set_text(first, process_exit["command"], "");
  rows.set_text(first, process_exit["cgroup"], "");
  rows.set(first, process_exit["uid"], 0);
  rows.set(first, process_exit["lost"], lost);
  for (Sum& sum : sums_) {
    sum.show();
    size_t row = rows.append();
    rows.set_text(row, process_exit["command"], sum.key.command);
    rows.set_text(row, process_exit["cgroup"], sum.key.cgroup);
    rows.set(row, process_exit["uid"], sum.key.uid);
    rows.set_text(row, process_exit["user"], user_name(sum.key.uid));
    rows.set(row, process_exit["exits"], sum.exits);
    rows.set(row, process_exit["failed"], sum.failed);
    rows.set(row, process_exit["user_time"], sum.shown_user_us);
    rows.set(row, process_exit["system_time"], sum.shown_system_us);
    rows.set_absent(row, process_exit["lost"], Absent::not_applicable);
  }
}

}  // namespace tacho
