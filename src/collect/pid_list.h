// The processes there are, listed anew only when there may be others than before.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "host/machine.h"

namespace tacho {

/// Listing /proc costs half a microsecond a process. The kernel hands out process ids in turn and
/// says in proc/loadavg which was the last one: while that is the same, nobody was born since the
/// list was made, and those who died are found out when they are read. The id is handed out a
/// moment before its process shows in /proc (kernel/pid.c, alloc_pid), so a list counts as complete
/// only when the id was the same one update earlier.
class PidList {
 public:
  /// Ascending. Fails where /proc cannot be listed.
  [[nodiscard]] Result<void> update(const Machine& machine, Buffer& buffer);
  [[nodiscard]] const std::vector<uint64_t>& pids() const { return pids_; }
  /// One of them is gone: the next update() lists anew.
  void expire() { listed_ = false; }

 private:
  /// The last process id handed out; 0 where that is not known for sure.
  uint64_t last_pid(const Machine& machine, Buffer& buffer);

  std::vector<uint64_t> pids_;
  KeptFile load_{"proc/loadavg"};
  bool listed_ = false;
  bool complete_ = false;
  bool same_namespace_ = false;
  uint64_t last_ = 0;
  uint64_t epoch_ = 0;
};

}  // namespace tacho
