#pragma once

#include "schema/table.h"

namespace tacho::schema {

/// Documentation/admin-guide/cgroup-v2.rst; cgroup-v1/. {cgroup} is the path of the group. What
/// stands before it is where the hierarchy is usually mounted: sys/fs/cgroup/ means v2, and
/// sys/fs/cgroup/cpu/ v1's controller cpu, wherever they are on this machine.
inline constexpr Source kCpuStat2{"sys/fs/cgroup/{cgroup}/cpu.stat", Shape::keyed};
inline constexpr Source kCpuStat1{"sys/fs/cgroup/cpu/{cgroup}/cpu.stat", Shape::keyed};
inline constexpr Source kCpuMax2{"sys/fs/cgroup/{cgroup}/cpu.max", Shape::rows};
inline constexpr Source kCpuQuota1{"sys/fs/cgroup/cpu/{cgroup}/cpu.cfs_quota_us", Shape::value};
inline constexpr Source kCpuPeriod1{"sys/fs/cgroup/cpu/{cgroup}/cpu.cfs_period_us", Shape::value};
inline constexpr Source kCpuacct1{"sys/fs/cgroup/cpuacct/{cgroup}/cpuacct.usage", Shape::value};
inline constexpr Source kCpuacctUser1{"sys/fs/cgroup/cpuacct/{cgroup}/cpuacct.usage_user",
                                      Shape::value};
inline constexpr Source kCpuacctSystem1{"sys/fs/cgroup/cpuacct/{cgroup}/cpuacct.usage_sys",
                                        Shape::value};
/// Lists such as "0-3,8", which are counted.
inline constexpr Source kCpuset2{"sys/fs/cgroup/{cgroup}/cpuset.cpus.effective", Shape::call};
inline constexpr Source kCpuset1{"sys/fs/cgroup/cpuset/{cgroup}/cpuset.effective_cpus",
                                 Shape::call};
inline constexpr Source kMemoryCurrent2{"sys/fs/cgroup/{cgroup}/memory.current", Shape::value};
inline constexpr Source kMemoryUsage1{"sys/fs/cgroup/memory/{cgroup}/memory.usage_in_bytes",
                                      Shape::value};
inline constexpr Source kMemoryMax2{"sys/fs/cgroup/{cgroup}/memory.max", Shape::value};
inline constexpr Source kMemoryLimit1{"sys/fs/cgroup/memory/{cgroup}/memory.limit_in_bytes",
                                      Shape::value};
inline constexpr Source kMemoryHigh2{"sys/fs/cgroup/{cgroup}/memory.high", Shape::value};
inline constexpr Source kSwapCurrent2{"sys/fs/cgroup/{cgroup}/memory.swap.current", Shape::value};
inline constexpr Source kMemoryStat2{"sys/fs/cgroup/{cgroup}/memory.stat", Shape::keyed};
inline constexpr Source kMemoryStat1{"sys/fs/cgroup/memory/{cgroup}/memory.stat", Shape::keyed};
inline constexpr Source kMemoryEvents2{"sys/fs/cgroup/{cgroup}/memory.events", Shape::keyed};
inline constexpr Source kOomControl1{"sys/fs/cgroup/memory/{cgroup}/memory.oom_control",
                                     Shape::keyed};
inline constexpr Source kFailcnt1{"sys/fs/cgroup/memory/{cgroup}/memory.failcnt", Shape::value};
/// Lines per device, which are summed: "8:0 rbytes=1 wbytes=2 …" and "8:0 Read 1".
inline constexpr Source kIoStat2{"sys/fs/cgroup/{cgroup}/io.stat", Shape::call};
inline constexpr Source kBlkioAll1{
    "sys/fs/cgroup/blkio/{cgroup}/blkio.throttle.io_service_bytes_recursive", Shape::call};
inline constexpr Source kBlkio1{"sys/fs/cgroup/blkio/{cgroup}/blkio.throttle.io_service_bytes",
                                Shape::call};
inline constexpr Source kCgPressureCpu{"sys/fs/cgroup/{cgroup}/cpu.pressure", Shape::pairs};
inline constexpr Source kCgPressureMemory{"sys/fs/cgroup/{cgroup}/memory.pressure", Shape::pairs};
inline constexpr Source kCgPressureIo{"sys/fs/cgroup/{cgroup}/io.pressure", Shape::pairs};
/// proc/PID/cgroup, and the folders of the hierarchies.
inline constexpr Source kCgroups{"cgroup", Shape::call};

/// Each group that holds processes, and every ancestor of it.
inline constexpr auto cgroup = table(
    TableId::cgroup, "cgroup", "limits, use and throttling of each control group", every_seconds(2),
    {
        text_key("path", from(kCgroups.key("path")), "path of the group, from the root group"),
        counter("usage_time", unit::us,
                from(kCpuStat2.key("usage_usec"), kCpuacct1.all().per(1000)), "CPU time used"),
        counter("user_time", unit::us,
                from(kCpuStat2.key("user_usec"), kCpuacctUser1.all().per(1000)),
                "CPU time in user mode"),
        counter("system_time", unit::us,
                from(kCpuStat2.key("system_usec"), kCpuacctSystem1.all().per(1000)),
                "CPU time in the kernel"),
        gauge("cpu_quota", unit::us, from(kCpuMax2.column(0), kCpuQuota1.all()),
              "CPU time allowed in a period; absent: no limit"),
        gauge("cpu_period", unit::us, from(kCpuMax2.column(1), kCpuPeriod1.all()),
              "period of the CPU quota"),
        counter("periods", unit::count,
                from(kCpuStat2.key("nr_periods"), kCpuStat1.key("nr_periods")),
                "periods in which the group ran"),
        counter("throttled_periods", unit::count,
                from(kCpuStat2.key("nr_throttled"), kCpuStat1.key("nr_throttled")),
                "periods in which it was stopped by its quota"),
        counter("throttled_time", unit::us,
                from(kCpuStat2.key("throttled_usec"), kCpuStat1.key("throttled_time").per(1000)),
                "time its CPUs were stopped by its quota, summed"),
        gauge("cpus", unit::count, from(kCpuset2.all(), kCpuset1.all()), "CPUs it may run on"),
        gauge("memory", unit::bytes, from(kMemoryCurrent2.all(), kMemoryUsage1.all()),
              "memory used, page cache included"),
        gauge("memory_limit", unit::bytes, from(kMemoryMax2.all(), kMemoryLimit1.all()),
              "memory allowed; absent: no limit"),
        gauge("memory_high", unit::bytes, from(kMemoryHigh2.all()),
              "memory above which it is slowed; absent: no limit"),
        gauge("swap", unit::bytes, from(kSwapCurrent2.all(), kMemoryStat1.key("total_swap")),
              "swapped out"),
        gauge("anon", unit::bytes, from(kMemoryStat2.key("anon"), kMemoryStat1.key("total_rss")),
              "anonymous memory"),
        gauge("file", unit::bytes, from(kMemoryStat2.key("file"), kMemoryStat1.key("total_cache")),
              "page cache"),
        gauge("shmem", unit::bytes,
              from(kMemoryStat2.key("shmem"), kMemoryStat1.key("total_shmem")),
              "shared memory and tmpfs"),
        counter("major_faults", unit::count,
                from(kMemoryStat2.key("pgmajfault"), kMemoryStat1.key("total_pgmajfault")),
                "page faults that had to read"),
        counter("refault_file", unit::count,
                from(kMemoryStat2.key("workingset_refault_file"),
                     kMemoryStat1.key("total_workingset_refault_file")),
                "file pages read again soon after they were reclaimed"),
        counter("limit_hits", unit::count, from(kMemoryEvents2.key("max"), kFailcnt1.all()),
                "times the memory limit was reached"),
        counter("oom_kills", unit::count,
                from(kMemoryEvents2.key("oom_kill"), kOomControl1.key("oom_kill")),
                "processes killed because the group ran out of memory"),
        counter("read_bytes", unit::bytes,
                from(kIoStat2.key("rbytes"), kBlkioAll1.key("Read"), kBlkio1.key("Read")),
                "bytes read"),
        counter("write_bytes", unit::bytes,
                from(kIoStat2.key("wbytes"), kBlkioAll1.key("Write"), kBlkio1.key("Write")),
                "bytes written"),
        counter("cpu_some", unit::us, from(kCgPressureCpu.key("some", "total")),
                "some task waited for a CPU"),
        counter("cpu_full", unit::us, from(kCgPressureCpu.key("full", "total")),
                "all tasks waited for a CPU"),
        counter("memory_some", unit::us, from(kCgPressureMemory.key("some", "total")),
                "some task waited for memory"),
        counter("memory_full", unit::us, from(kCgPressureMemory.key("full", "total")),
                "all tasks waited for memory"),
        counter("io_some", unit::us, from(kCgPressureIo.key("some", "total")),
                "some task waited for I/O"),
        counter("io_full", unit::us, from(kCgPressureIo.key("full", "total")),
                "all tasks waited for I/O"),
    });

}  // namespace tacho::schema
