// Every threshold, with the name it has in the configuration. What each means stands beside its
// name, in thresholds.cpp.
#pragma once

#include <span>
#include <string_view>

namespace tacho {

struct Thresholds {
  // Section 1 of the design: what users know as alarming.
  double gpu_util = 90;
  double gpu_memory = 95;
  double gpu_temperature = 85;
  double cpu_busy = 85;
  double load_per_cpu = 1.5;
  double cpu_system = 30;
  double cpu_iowait = 20;
  double cpu_pressure = 20;
  double run_queue_per_cpu = 1;
  double disk_util = 90;
  double disk_await = 0.010;
  double disk_small_reads = 500;
  double disk_small_size = 65536;
  double swap_rate = 0;
  double memory_available = 5;
  double memory_pressure = 5;
  double filesystem_used = 98;
  double shm_used = 85;
  double retransmits = 1;
  double ports_used = 70;
  double queue_bytes = 65536;
  // Rules.
  double hog_share = 20;
  double hog_wait = 15;
  double throttled = 10;
  double oversubscribed = 30;
  double io_pressure = 20;
  double idle_busy = 10;
  double windows = 3;
};

/// A threshold by the name it has in tacho.toml, under [thresholds].
struct ThresholdName {
  std::string_view name;
  double Thresholds::*value;
  std::string_view help;  ///< a message id
};
[[nodiscard]] std::span<const ThresholdName> threshold_names();

}  // namespace tacho
