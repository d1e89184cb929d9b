// The derived figures: what people read and no kernel file holds. Each is declared once, in
// figure.cpp; views, rules, dump and the documentation walk this list.
#pragma once

#include <span>
#include <string_view>

#include "derive/window.h"

namespace tacho {

struct Figure {
  std::string_view id;  ///< "disk.read_await": table, then name
  TableId table;
  Dimension dimension;  ///< of the value: seconds, bytes (a second), percent …
  std::string_view help;
  Number (*of)(const Window& window, size_t row);

  [[nodiscard]] std::string_view name() const { return id.substr(id.find('.') + 1); }
};

[[nodiscard]] std::span<const Figure> figures();
/// Null where there is none of that id.
[[nodiscard]] const Figure* find_figure(std::string_view id);

namespace figure {

/// 100 × part / whole; not_applicable of nothing.
[[nodiscard]] Number share(Number part, Number whole);

// CPU time as a share of the CPU's time, or of all CPUs' in the row "cpu". user includes guests,
// counted once.
enum class CpuPart { user, nice, system, idle, iowait, irq, softirq, steal, guest };
[[nodiscard]] Number cpu_share(const Window& window, size_t row, CpuPart part);
/// Not idle and not waiting for I/O.
[[nodiscard]] Number cpu_busy(const Window& window, size_t row);

// iostat's figures, by its formulae (sysstat, rd_stats.c and iostat.c).
[[nodiscard]] Number disk_read_await(const Window& window, size_t row);
[[nodiscard]] Number disk_write_await(const Window& window, size_t row);
/// Of reads, writes and discards together.
[[nodiscard]] Number disk_await(const Window& window, size_t row);
[[nodiscard]] Number disk_queue(const Window& window, size_t row);
/// May exceed 100 by what the kernel rounds; see disk_util.
[[nodiscard]] Number disk_raw_util(const Window& window, size_t row);
[[nodiscard]] Number disk_util(const Window& window, size_t row);
[[nodiscard]] Number disk_read_size(const Window& window, size_t row);
[[nodiscard]] Number disk_reads(const Window& window, size_t row);

/// As top: 100 is one CPU.
[[nodiscard]] Number process_cpu(const Window& window, size_t row);
[[nodiscard]] Number thread_cpu(const Window& window, size_t row);
/// CPU time since it began, in seconds.
[[nodiscard]] Number process_cpu_time(const Window& window, size_t row);
/// The same with that of its children that ended and were waited for.
[[nodiscard]] Number process_cpu_time_of_family(const Window& window, size_t row);
[[nodiscard]] Number thread_cpu_time(const Window& window, size_t row);
/// Seconds since it began, suspends included, at the end of the window.
[[nodiscard]] Number process_elapsed(const Window& window, size_t row);
/// As top's %CUU: CPU time over the time since it began.
[[nodiscard]] Number process_cpu_of_life(const Window& window, size_t row);
/// As top's %CUC: the same with its children's.
[[nodiscard]] Number process_cpu_of_family(const Window& window, size_t row);
/// As top's %MEM: resident memory over that of the machine.
[[nodiscard]] Number process_memory_share(const Window& window, size_t row);
/// As top's USED: resident and swapped, in bytes.
[[nodiscard]] Number process_memory_used(const Window& window, size_t row);
/// Of the time a process was able to run, the share it waited for a CPU.
[[nodiscard]] Number process_wait(const Window& window, size_t row);

/// As free and top: total less available, in bytes.
[[nodiscard]] Number memory_used(const Window& window, size_t row);
/// As free and top: buffers, page cache and what the kernel's caches can give back, in bytes.
[[nodiscard]] Number memory_cached(const Window& window, size_t row);
[[nodiscard]] Number swap_used(const Window& window, size_t row);
[[nodiscard]] Number memory_used_share(const Window& window, size_t row);
[[nodiscard]] Number swap_used_share(const Window& window, size_t row);
[[nodiscard]] Number filesystem_used_share(const Window& window, size_t row);
[[nodiscard]] Number filesystem_inodes_share(const Window& window, size_t row);
[[nodiscard]] Number net_use(const Window& window, size_t row);
[[nodiscard]] Number tcp_retransmit_share(const Window& window, size_t row);
[[nodiscard]] Number cgroup_throttled_share(const Window& window, size_t row);

}  // namespace figure
}  // namespace tacho
