#include "collect/run_delays.h"

#include <utility>

namespace tacho {

bool RunDelays::knows(const ProcessId& process) const {
  auto found = sums_.find(process.pid);
  return found != sums_.end() && found->second.start == process.start;
}

RunDelays::Sum& RunDelays::sum_of(const ProcessId& process) {
  Sum& sum = sums_[process.pid];
  if (sum.start != process.start) sum = Sum{.start = process.start, .base = 0, .live = {}};
  sum.updated = true;
  return sum;
}

void RunDelays::continue_from(const ProcessId& process, std::span<const ThreadDelay> live,
                              uint64_t delay_ns) {
  uint64_t now = update(process, live);
  sum_of(process).base += delay_ns - now;
}

uint64_t RunDelays::update(const ProcessId& process, std::span<const ThreadDelay> live) {
  Sum& sum = sum_of(process);
  std::unordered_map<uint64_t, uint64_t> before = std::exchange(sum.live, {});
  uint64_t total = 0;
  for (const ThreadDelay& thread : live) {
    total += thread.delay_ns;
    sum.live[thread.tid] = thread.delay_ns;
    auto was = before.find(thread.tid);
    // A thread id that has less than before was given to another thread.
    if (was != before.end() && was->second <= thread.delay_ns) before.erase(was);
  }
  for (const auto& [tid, delay_ns] : before)
    sum.base += delay_ns;
  return sum.base + total;
}

void RunDelays::forget_the_rest() {
  std::erase_if(sums_, [](const auto& entry) { return !entry.second.updated; });
  for (auto& [pid, sum] : sums_)
    sum.updated = false;
}

}  // namespace tacho
