// The threads of a process: proc/PID/task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collect/reader.h"
#include "collect/shape.h"
#include "collect/stat_line.h"

namespace tacho {

class ThreadScan {
 public:
  ThreadScan();
  /// Time that all live threads have waited on a run queue, in ns. Nothing where it cannot be read.
  [[nodiscard]] std::optional<uint64_t> run_delay(Collecting& collecting, uint64_t pid);
  /// Appends a row for each thread.
  void read(Collecting& collecting, uint64_t pid, Rows& rows);

 private:
  StatLine stat_;
  RowParser schedstat_;
  Ranks ranks_;
  std::vector<std::string> names_;
};

}  // namespace tacho
