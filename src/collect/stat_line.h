// The one line of proc/PID/stat and proc/PID/task/TID/stat (proc_pid_stat(5)).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sample/rows.h"
#include "schema/table.h"

namespace tacho {

/// The second field is the command in parentheses; it may hold spaces, parentheses and newlines
/// itself, so it ends at the last ')'.
class StatLine {
 public:
  StatLine(const TableView& table, const Source& source);
  /// False where the text is no such line; the row is then not to be used.
  [[nodiscard]] bool parse(std::string_view text, Rows& rows, size_t row) const;

 private:
  std::vector<int> by_field_;
};

/// Number of CPUs in a list like "0-3,8"; nothing where it is none.
[[nodiscard]] std::optional<uint64_t> count_cpus(std::string_view list);

/// The path of a process's control group in proc/PID/cgroup: that of the unified hierarchy, or of
/// v1's cpu controller where there is one with a path of its own.
[[nodiscard]] std::string_view cgroup_path(std::string_view text);

}  // namespace tacho
