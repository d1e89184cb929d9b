#pragma once

#include "schema/table.h"

namespace tacho::schema {

/// proc_stat(5): the lines other than those of CPUs.
inline constexpr Source kStat{"proc/stat", Shape::keyed};
/// proc_loadavg(5): load 1, 5, 15 minutes; runnable/all entities; last pid.
inline constexpr Source kLoadavg{"proc/loadavg", Shape::rows};
inline constexpr Source kFileNr{"proc/sys/fs/file-nr", Shape::rows};

inline constexpr auto system = table(
    TableId::system, "system", "load, run queue, context switches, interrupts, forks", kEverySample,
    {
        gauge("running", unit::count, from(kStat.key("procs_running")),
              "threads running or waiting for a CPU (the run queue)"),
        gauge("blocked", unit::count, from(kStat.key("procs_blocked")),
              "threads blocked waiting for I/O"),
        counter("context_switches", unit::count, from(kStat.key("ctxt")), "context switches"),
        counter("interrupts", unit::count, from(kStat.key("intr")), "interrupts served"),
        counter("softirqs", unit::count, from(kStat.key("softirq")), "soft interrupts served"),
        counter("forks", unit::count, from(kStat.key("processes")), "processes and threads begun"),
        gauge("boot_time", unit::seconds, from(kStat.key("btime")), "boot, in epoch seconds"),
        gauge("load_1", unit::hundredths, from(kLoadavg.column(0)), "load average, 1 minute"),
        gauge("load_5", unit::hundredths, from(kLoadavg.column(1)), "load average, 5 minutes"),
        gauge("load_15", unit::hundredths, from(kLoadavg.column(2)), "load average, 15 minutes"),
        gauge("open_files", unit::count, from(kFileNr.column(0)), "file handles in use"),
        gauge("max_files", unit::count, from(kFileNr.column(2)), "file handles allowed"),
    });

}  // namespace tacho::schema
