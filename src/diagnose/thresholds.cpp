#include "diagnose/thresholds.h"

#include <array>

namespace tacho {

std::span<const ThresholdName> threshold_names() {
  using T = Thresholds;
  static constexpr std::array kNames{
      ThresholdName{"gpu.util", &T::gpu_util},
      ThresholdName{"gpu.memory", &T::gpu_memory},
      ThresholdName{"gpu.temperature", &T::gpu_temperature},
      ThresholdName{"cpu.busy", &T::cpu_busy},
      ThresholdName{"cpu.load", &T::load_per_cpu},
      ThresholdName{"cpu.system", &T::cpu_system},
      ThresholdName{"cpu.iowait", &T::cpu_iowait},
      ThresholdName{"cpu.pressure", &T::cpu_pressure},
      ThresholdName{"memory.run_queue", &T::run_queue_per_cpu},
      ThresholdName{"disk.util", &T::disk_util},
      ThresholdName{"disk.await", &T::disk_await},
      ThresholdName{"disk.small_reads", &T::disk_small_reads},
      ThresholdName{"disk.small_size", &T::disk_small_size},
      ThresholdName{"memory.swap", &T::swap_rate},
      ThresholdName{"memory.available", &T::memory_available},
      ThresholdName{"memory.pressure", &T::memory_pressure},
      ThresholdName{"disk.full", &T::filesystem_used},
      ThresholdName{"memory.shm", &T::shm_used},
      ThresholdName{"net.retransmits", &T::retransmits},
      ThresholdName{"net.ports", &T::ports_used},
      ThresholdName{"net.queue", &T::queue_bytes},
      ThresholdName{"rule.hog_share", &T::hog_share},
      ThresholdName{"rule.hog_wait", &T::hog_wait},
      ThresholdName{"rule.throttled", &T::throttled},
      ThresholdName{"rule.oversubscribed", &T::oversubscribed},
      ThresholdName{"rule.io_pressure", &T::io_pressure},
      ThresholdName{"rule.idle_busy", &T::idle_busy},
      ThresholdName{"rule.windows", &T::windows},
  };
  return kNames;
}

}  // namespace tacho
