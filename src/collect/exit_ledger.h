// What ended processes used beyond what the process table had seen of them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/taskstats.h"
#include "sample/rows.h"

namespace tacho {

/// A process that ended and is no longer listed, with what no scan saw of it.
struct EndedProcess {
  std::string command;
  std::string cgroup;  ///< its own, or that of the nearest ancestor that a scan saw
  uint64_t uid = 0;
  uint64_t user_us = 0;
  uint64_t system_us = 0;
  uint64_t run_us =
      0;  ///< both by the scheduler's clock, which may be a tick behind: never too much
  bool failed = false;  ///< by a signal, or with a code other than 0
};

/// Brings together scans of proc/ and the ends of tasks. A process is settled when it has ended and
/// is listed no more (a zombie still is, with all its time), so nothing is counted in both tables.
/// Not thread-safe: it belongs to the sampling thread.
class ExitLedger {
 public:
  /// All rows of a scan, ascending by pid.
  void scanned(const Rows& processes);
  /// Takes what was heard after the last scan. `heard_us`: for how long ends have been heard of; an
  /// older process that no scan saw used an unknown share of its time before.
  [[nodiscard]] std::vector<EndedProcess> settle(const std::vector<TaskExit>& exits,
                                                 uint64_t heard_us);
  /// Where ends cannot be heard of: scans cost nothing from now on.
  void disable();
  /// How many processes it keeps in mind.
  [[nodiscard]] size_t remembered() const {
    return seen_.size() + ending_.size() + waiting_.size();
  }

 private:
  /// A process as it was in the last scan that listed it.
  struct Seen {
    uint64_t pid = 0;
    uint64_t start = 0;
    uint64_t user_us = 0;
    uint64_t system_us = 0;
    uint64_t scan = 0;
    bool ended = false;
    std::string cgroup;
  };
  /// What the ended tasks of a process that goes on have used.
  struct Used {
    uint64_t user_us = 0;
    uint64_t system_us = 0;
    uint64_t scan = 0;
    std::string command;  ///< of the leading task
  };
  struct Waiting {
    TaskExit exit;
    Used used;
    uint64_t start = 0;
    bool seen = false;  ///< in a scan, with this start
  };

  void end(const TaskExit& exit);
  /// The earliest of that pid whose end has not been heard of.
  Seen* claim(uint64_t pid);
  [[nodiscard]] const Seen* find(uint64_t pid, uint64_t start) const;
  [[nodiscard]] EndedProcess account(const Waiting& waiting, const Seen* seen,
                                     uint64_t heard_us) const;
  [[nodiscard]] std::string cgroup_above(uint64_t parent) const;

  bool enabled_ = true;
  uint64_t scan_ = 0;
  std::vector<Seen> seen_;    ///< ascending by pid, then start; of this scan and the one before
  std::vector<Seen> merged_;  ///< kept for its memory
  std::unordered_map<uint64_t, Used> ending_;
  std::vector<Waiting> waiting_;
  std::unordered_map<uint64_t, uint64_t> parents_;  ///< of processes that ended since the last scan
};

}  // namespace tacho
