#pragma once

#include "schema/table.h"

namespace tacho::schema {

/// proc_stat(5); fs/proc/stat.c. The rows "cpu" (all CPUs together) and "cpuN" (each one online).
inline constexpr Source kStatCpu{"proc/stat#cpu", Shape::rows};
inline constexpr Source kCpuFreq{"sys/devices/system/cpu/{cpu}/cpufreq/scaling_cur_freq",
                                 Shape::value};
inline constexpr Source kCpuMaxFreq{"sys/devices/system/cpu/{cpu}/cpufreq/cpuinfo_max_freq",
                                    Shape::value};
inline constexpr Source kCpuGovernor{"sys/devices/system/cpu/{cpu}/cpufreq/scaling_governor",
                                     Shape::value};
inline constexpr Source kCoreThrottle{
    "sys/devices/system/cpu/{cpu}/thermal_throttle/core_throttle_count", Shape::value};
inline constexpr Source kPackageThrottle{
    "sys/devices/system/cpu/{cpu}/thermal_throttle/package_throttle_count", Shape::value};
inline constexpr Source kCpuNode{"sys/devices/system/node", Shape::call};

inline constexpr auto cpu = table(
    TableId::cpu, "cpu", "where the time of each CPU, and of all together, went", kEverySample,
    {
        text_key("cpu", from(kStatCpu.column(0)), "cpu0, cpu1 …; cpu is all together"),
        counter("user", unit::ticks, from(kStatCpu.column(1)), "in user mode, guests included"),
        counter("nice", unit::ticks, from(kStatCpu.column(2)),
                "in user mode at a lowered priority"),
        counter("system", unit::ticks, from(kStatCpu.column(3)), "in the kernel"),
        counter("idle", unit::ticks, from(kStatCpu.column(4)), "idle, no disk I/O outstanding"),
        counter("iowait", unit::ticks, from(kStatCpu.column(5)),
                "idle while disk I/O is outstanding"),
        counter("irq", unit::ticks, from(kStatCpu.column(6)), "serving hardware interrupts"),
        counter("softirq", unit::ticks, from(kStatCpu.column(7)), "serving soft interrupts"),
        counter("steal", unit::ticks, from(kStatCpu.column(8)), "taken by the hypervisor"),
        counter("guest", unit::ticks, from(kStatCpu.column(9)), "running guests; also in user"),
        counter("guest_nice", unit::ticks, from(kStatCpu.column(10)),
                "running guests at a lowered priority; also in nice"),
    });

inline constexpr auto cpu_clock = table(
    TableId::cpu_clock, "cpu_clock", "clock rate and thermal throttling of each CPU",
    every_seconds(10),
    {
        text_key("cpu", from(kCpuFreq.key("cpu")), "cpu0, cpu1 …"),
        gauge("frequency", unit::khz, from(kCpuFreq.all()), "present clock rate"),
        gauge("max_frequency", unit::khz, from(kCpuMaxFreq.all()), "highest clock rate"),
        text("governor", from(kCpuGovernor.all()), "frequency governor"),
        counter("core_throttles", unit::count, from(kCoreThrottle.all()),
                "times the core was slowed by heat"),
        counter("package_throttles", unit::count, from(kPackageThrottle.all()),
                "times the package was slowed by heat"),
        gauge("node", unit::count, from(kCpuNode.key("node")), "NUMA node the CPU belongs to"),
    });

}  // namespace tacho::schema
