// vmstat (procps 4.0.2): the same lines, right where the original is wrong:
// rates are over the measured time, the first line is per second whatever the number of CPUs, and a
// value that is wider than its column does not shift the rest of the line.
#pragma once

#include <optional>
#include <string>

#include "derive/window.h"
#include "render/json.h"

namespace tacho {

struct VmstatOptions {
  bool wide = false;
  bool active = false;  ///< inact and active instead of buff and cache
  bool timestamp = false;
  char unit = 'K';  ///< of memory and swap: b or B (bytes), k, K, m, M
};

/// Bytes in the unit of -S; nothing for a letter that is none.
[[nodiscard]] std::optional<uint64_t> vmstat_unit(char letter);

/// The tables that a mode reads.
[[nodiscard]] Selection vmstat_selection();
[[nodiscard]] Selection vmstat_disk_selection();

/// Two lines. `realtime_ns` gives the time zone's name.
[[nodiscard]] std::string vmstat_header(const VmstatOptions& options, int64_t realtime_ns);
[[nodiscard]] std::string vmstat_line(const Window& window, const VmstatOptions& options);
[[nodiscard]] Json vmstat_json(const Window& window, const VmstatOptions& options);

/// vmstat -s: counts and ticks since boot.
[[nodiscard]] std::string vmstat_statistics(const Sample& sample, const VmstatOptions& options);
/// The same by label; a label has its unit in it ("K total memory").
[[nodiscard]] Json vmstat_statistics_json(const Sample& sample, const VmstatOptions& options);

[[nodiscard]] std::string vmstat_disk_header(const VmstatOptions& options, int64_t realtime_ns);
/// vmstat -d: a line per whole disk, counts since it was attached.
[[nodiscard]] std::string vmstat_disk_lines(const Sample& sample, const VmstatOptions& options);
[[nodiscard]] Json vmstat_disk_json(const Sample& sample);

}  // namespace tacho
