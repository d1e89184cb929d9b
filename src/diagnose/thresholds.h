// Every threshold, with the name it has in the configuration.
#pragma once

#include <span>
#include <string_view>

namespace tacho {

struct Thresholds {
  // Section 1 of the design: what users know as alarming.
  double gpu_util = 90;            ///< %, below
  double gpu_memory = 95;          ///< %
  double gpu_temperature = 85;     ///< °C
  double cpu_busy = 85;            ///< % of all CPUs
  double load_per_cpu = 1.5;       ///< load average / CPUs
  double cpu_system = 30;          ///< %
  double cpu_iowait = 20;          ///< %
  double cpu_pressure = 20;        ///< % of the time some task waited for a CPU
  double run_queue_per_cpu = 1;    ///< runnable threads / CPUs
  double disk_util = 90;           ///< %
  double disk_await = 0.010;       ///< s
  double disk_small_reads = 500;   ///< reads/s
  double disk_small_size = 65536;  ///< bytes of a mean read
  double swap_rate = 0;            ///< pages/s, staying above
  double memory_available = 5;     ///< % of memory, below
  double memory_pressure = 5;      ///< % of the time some task waited for memory
  double filesystem_used = 98;     ///< %
  double shm_used = 85;            ///< % of /dev/shm
  double retransmits = 1;          ///< % of the segments sent
  double ports_used = 70;          ///< % of the local port range in TIME_WAIT
  double queue_bytes = 65536;      ///< bytes that stay in a socket's queue
  // Rules.
  double hog_share = 20;       ///< % of the machine that others hold
  double hog_wait = 15;        ///< % of its runnable time that the watched tree waits
  double throttled = 10;       ///< % of its periods in which a quota stops a group
  double oversubscribed = 30;  ///< % of its runnable time that the tree waits for itself
  double io_pressure = 20;     ///< % of the time some task waited for I/O
  double idle_busy = 10;       ///< % of all CPUs below which nothing trains
  double windows = 3;          ///< how many windows a signal must last
};

/// A threshold by the name it has in tacho.toml, under [thresholds].
struct ThresholdName {
  std::string_view name;
  double Thresholds::*value;
};
[[nodiscard]] std::span<const ThresholdName> threshold_names();

}  // namespace tacho
