#include "diagnose/thresholds.h"

#include <array>

namespace tacho {

std::span<const ThresholdName> threshold_names() {
  using T = Thresholds;
  static constexpr std::array kNames{
      ThresholdName{"gpu.util", &T::gpu_util, "%, below"},
      ThresholdName{"gpu.memory", &T::gpu_memory, "%"},
      ThresholdName{"gpu.temperature", &T::gpu_temperature, "°C"},
      ThresholdName{"cpu.busy", &T::cpu_busy, "% of all CPUs"},
      ThresholdName{"cpu.load", &T::load_per_cpu, "load average / CPUs"},
      ThresholdName{"cpu.system", &T::cpu_system, "%"},
      ThresholdName{"cpu.iowait", &T::cpu_iowait, "%"},
      ThresholdName{"cpu.pressure", &T::cpu_pressure, "% of the time some task waited for a CPU"},
      ThresholdName{"memory.run_queue", &T::run_queue_per_cpu, "runnable threads / CPUs"},
      ThresholdName{"disk.util", &T::disk_util, "%"},
      ThresholdName{"disk.await", &T::disk_await, "s"},
      ThresholdName{"disk.small_reads", &T::disk_small_reads, "reads/s"},
      ThresholdName{"disk.small_size", &T::disk_small_size, "bytes of a mean read"},
      ThresholdName{"memory.swap", &T::swap_rate, "pages/s, staying above"},
      ThresholdName{"memory.available", &T::memory_available, "% of memory, below"},
      ThresholdName{"memory.pressure", &T::memory_pressure,
                    "% of the time some task waited for memory"},
      ThresholdName{"disk.full", &T::filesystem_used, "%"},
      ThresholdName{"memory.shm", &T::shm_used, "% of /dev/shm"},
      ThresholdName{"net.retransmits", &T::retransmits, "% of the segments sent"},
      ThresholdName{"net.ports", &T::ports_used, "% of the local port range in TIME_WAIT"},
      ThresholdName{"net.queue", &T::queue_bytes, "bytes that stay in a socket's queue"},
      ThresholdName{"rule.hog_share", &T::hog_share, "% of the machine that others hold"},
      ThresholdName{"rule.hog_wait", &T::hog_wait,
                    "% of its runnable time that the watched tree waits"},
      ThresholdName{"rule.throttled", &T::throttled,
                    "% of its periods in which a quota stops a group"},
      ThresholdName{"rule.oversubscribed", &T::oversubscribed,
                    "% of its runnable time that the tree waits for itself"},
      ThresholdName{"rule.io_pressure", &T::io_pressure, "% of the time some task waited for I/O"},
      ThresholdName{"rule.idle_busy", &T::idle_busy, "% of all CPUs below which nothing trains"},
      ThresholdName{"rule.windows", &T::windows, "how many windows a signal must last"},
  };
  return kNames;
}

}  // namespace tacho
