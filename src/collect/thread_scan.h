// The threads of a process: proc/PID/task.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collect/reader.h"
#include "collect/run_delays.h"
#include "collect/shape.h"
#include "collect/stat_line.h"

namespace tacho {

class ThreadScan {
 public:
  ThreadScan();
  /// What each live thread has waited on a run queue; empty where none can be read. Valid until the
  /// next call.
  [[nodiscard]] std::span<const ThreadDelay> run_delays(Collecting& collecting, uint64_t pid);
  /// Appends a row for each thread.
  void read(Collecting& collecting, uint64_t pid, Rows& rows);

 private:
  StatLine stat_;
  RowParser schedstat_;
  Ranks ranks_;
  std::vector<std::string> names_;
  std::vector<ThreadDelay> delays_;
};

}  // namespace tacho
