// Run-queue delay of whole processes: the kernel keeps it by thread, and forgets a thread's when it
// ends (Documentation/scheduler/sched-stats.rst).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "collect/tree.h"

namespace tacho {

/// What a live thread has waited, in ns.
struct ThreadDelay {
  uint64_t tid = 0;
  uint64_t delay_ns = 0;
};

/// Adds up the threads of each process into a counter that never falls: what an ended thread had
/// waited when it was seen last stays in the sum.
class RunDelays {
 public:
  /// Whether the process has been added up before.
  [[nodiscard]] bool knows(const ProcessId& process) const;
  /// Makes the first sum of a process be `delay_ns`, which was told of it before in another way (of
  /// its leading thread alone), so that its counter goes on from there.
  void continue_from(const ProcessId& process, std::span<const ThreadDelay> live,
                     uint64_t delay_ns);
  /// The sum, given all the live threads.
  uint64_t update(const ProcessId& process, std::span<const ThreadDelay> live);
  /// Drops the processes that were neither begun nor updated since the last call.
  void forget_the_rest();

 private:
  struct Sum {
    uint64_t start = 0;
    uint64_t base = 0;  ///< of ended threads; modulo 2^64 it may be below zero, the sum is not
    std::unordered_map<uint64_t, uint64_t> live;
    bool updated = true;
  };
  Sum& sum_of(const ProcessId& process);

  std::unordered_map<uint64_t, Sum> sums_;  ///< by pid
};

}  // namespace tacho
