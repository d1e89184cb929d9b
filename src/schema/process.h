#pragma once

#include "schema/table.h"

namespace tacho::schema {

/// proc_pid_stat(5); fs/proc/array.c. Columns are counted from 0: pid 0, comm 1, state 2 …
inline constexpr Source kPidStat{"proc/{pid}/stat", Shape::rows};
inline constexpr Source kPidStatm{"proc/{pid}/statm", Shape::rows};
inline constexpr Source kPidStatus{"proc/{pid}/status", Shape::keyed};
inline constexpr Source kPidIo{"proc/{pid}/io", Shape::keyed};
/// Documentation/scheduler/sched-stats.rst: of the leading thread only.
inline constexpr Source kPidSchedstat{"proc/{pid}/schedstat", Shape::rows};
inline constexpr Source kPidCmdline{"proc/{pid}/cmdline", Shape::value};
inline constexpr Source kPidCgroup{"proc/{pid}/cgroup", Shape::call};
inline constexpr Source kTree{"tree", Shape::call};
inline constexpr Source kTidStat{"proc/{pid}/task/{tid}/stat", Shape::rows};
inline constexpr Source kTidSchedstat{"proc/{pid}/task/{tid}/schedstat", Shape::rows};
inline constexpr Source kTidStatus{"proc/{pid}/task/{tid}/status", Shape::keyed};
/// struct taskstats of the exit listener (include/uapi/linux/taskstats.h).
inline constexpr Source kTaskstats{"taskstats", Shape::call};

inline constexpr auto process = table(
    TableId::process, "process", "every process", kEverySample,
    {
        key("pid", from(kPidStat.column(0)), "process id"),
        key("start", from(kPidStat.column(21)), "start, after boot").in(unit::ticks),
        text("command", from(kPidStat.column(1)), "command name (comm)"),
        text("command_line", from(kPidCmdline.all()), "command line, secrets masked"),
        text("cgroup", from(kPidCgroup.key("path")), "control group"),
        text("user", from(kPidStatus.key("user")), "name of the user, or its number"),
        gauge("uid", unit::count, from(kPidStatus.key("Uid").after(1)), "effective user"),
        gauge("real_uid", unit::count, from(kPidStatus.key("Uid")), "real user"),
        gauge("saved_uid", unit::count, from(kPidStatus.key("Uid").after(2)), "saved user"),
        gauge("file_uid", unit::count, from(kPidStatus.key("Uid").after(3)),
              "user as whom it opens files"),
        gauge("gid", unit::count, from(kPidStatus.key("Gid").after(1)), "effective group"),
        text("group", from(kPidStatus.key("group")), "name of the group, or its number"),
        text("groups", from(kPidStatus.key("Groups")), "numbers of its supplementary groups"),
        text("state", from(kPidStat.column(2)),
             "R running, S sleeping, D waiting for I/O, Z zombie …"),
        gauge("parent", unit::count, from(kPidStat.column(3)), "process id of the parent"),
        gauge("process_group", unit::count, from(kPidStat.column(4)), "process group"),
        gauge("session", unit::count, from(kPidStat.column(5)), "session"),
        gauge("terminal", unit::count, from(kPidStat.column(6)),
              "device number of the controlling terminal, 0 without")
            .i64(),
        gauge("terminal_group", unit::count, from(kPidStat.column(7)),
              "foreground process group of the terminal, -1 without")
            .i64(),
        flags("flags", from(kPidStat.column(8)), "PF_* of the kernel (include/linux/sched.h)"),
        gauge("watched", unit::count, from(kTree.key("watched")), "1 in the watched tree"),
        counter("user_time", unit::ticks, from(kPidStat.column(13)), "CPU time in user mode"),
        counter("system_time", unit::ticks, from(kPidStat.column(14)), "CPU time in the kernel"),
        counter("children_user_time", unit::ticks, from(kPidStat.column(15)),
                "CPU time in user mode of children that ended"),
        counter("children_system_time", unit::ticks, from(kPidStat.column(16)),
                "CPU time in the kernel of children that ended"),
        counter("minor_faults", unit::count, from(kPidStat.column(9)),
                "page faults without reading"),
        counter("major_faults", unit::count, from(kPidStat.column(11)),
                "page faults that had to read"),
        gauge("priority", unit::count, from(kPidStat.column(17)), "kernel priority").i64(),
        gauge("nice", unit::count, from(kPidStat.column(18)), "nice value").i64(),
        gauge("threads", unit::count, from(kPidStat.column(19)), "threads"),
        gauge("virtual", unit::bytes, from(kPidStat.column(22)), "virtual memory"),
        // Newer kernels sum it exactly for statm, where stat may be off by some hundred KiB.
        gauge("resident", unit::kib, from(kPidStatm.column(1), kPidStat.column(23)),
              "resident memory"),
        gauge("shared", unit::kib, from(kPidStatm.column(2)),
              "resident memory with a file or shared memory behind it"),
        gauge("code", unit::kib, from(kPidStatm.column(3)), "size of the program's code"),
        gauge("data", unit::kib, from(kPidStatm.column(5)), "size of data and stack"),
        gauge("swap", unit::kib, from(kPidStatus.key("VmSwap")), "swapped out"),
        gauge("resident_anonymous", unit::kib, from(kPidStatus.key("RssAnon")),
              "resident memory that belongs to no file"),
        gauge("resident_file", unit::kib, from(kPidStatus.key("RssFile")),
              "resident memory of mapped files"),
        gauge("resident_shared", unit::kib, from(kPidStatus.key("RssShmem")),
              "resident shared memory"),
        gauge("locked", unit::kib, from(kPidStatus.key("VmLck")), "memory locked in place"),
        gauge("last_cpu", unit::count, from(kPidStat.column(38)), "CPU it ran on last"),
        gauge("policy", unit::count, from(kPidStat.column(40)), "scheduling policy"),
        counter("block_delay", unit::ticks, from(kPidStat.column(41)),
                "time waited for block I/O (0 unless delay accounting is on)"),
        counter("run_delay", unit::ns, from(kPidSchedstat.column(1), kTree.key("run_delay")),
                "time waited on a run queue; of the leading thread only where not watched"),
        counter("timeslices", unit::count, from(kPidSchedstat.column(2)),
                "times the leading thread was given a CPU"),
        counter("voluntary_switches", unit::count, from(kPidStatus.key("voluntary_ctxt_switches")),
                "context switches because it waited"),
        counter("involuntary_switches", unit::count,
                from(kPidStatus.key("nonvoluntary_ctxt_switches")),
                "context switches because it was preempted"),
        counter("read_chars", unit::bytes, from(kPidIo.key("rchar")),
                "bytes read, from caches too"),
        counter("write_chars", unit::bytes, from(kPidIo.key("wchar")),
                "bytes written, to caches too"),
        counter("read_calls", unit::count, from(kPidIo.key("syscr")), "read calls"),
        counter("write_calls", unit::count, from(kPidIo.key("syscw")), "write calls"),
        counter("read_bytes", unit::bytes, from(kPidIo.key("read_bytes")),
                "bytes read from storage"),
        counter("write_bytes", unit::bytes, from(kPidIo.key("write_bytes")),
                "bytes to be written to storage"),
        gauge("allowed_cpus", unit::count, from(kPidStatus.key("allowed_cpus")),
              "CPUs it may run on"),
        text("allowed_cpu_list", from(kPidStatus.key("Cpus_allowed_list")),
             "list of the CPUs it may run on"),
    });

inline constexpr auto thread = table(
    TableId::thread, "thread", "each thread of the watched tree", kEverySample,
    {
        key("tid", from(kTidStat.column(0)), "thread id"),
        key("start", from(kTidStat.column(21)), "start, after boot").in(unit::ticks),
        key("pid", from(kTree.key("pid")), "process it belongs to"),
        text("command", from(kTidStat.column(1)), "name of the thread"),
        text("state", from(kTidStat.column(2)), "R running, S sleeping, D waiting for I/O …"),
        counter("user_time", unit::ticks, from(kTidStat.column(13)), "CPU time in user mode"),
        counter("system_time", unit::ticks, from(kTidStat.column(14)), "CPU time in the kernel"),
        counter("minor_faults", unit::count, from(kTidStat.column(9)),
                "page faults without reading"),
        counter("major_faults", unit::count, from(kTidStat.column(11)),
                "page faults that had to read"),
        gauge("priority", unit::count, from(kTidStat.column(17)), "kernel priority").i64(),
        gauge("nice", unit::count, from(kTidStat.column(18)), "nice value").i64(),
        gauge("last_cpu", unit::count, from(kTidStat.column(38)), "CPU it ran on last"),
        counter("block_delay", unit::ticks, from(kTidStat.column(41)),
                "time waited for block I/O (0 unless delay accounting is on)"),
        counter("on_cpu", unit::ns, from(kTidSchedstat.column(0)), "time on a CPU"),
        counter("run_delay", unit::ns, from(kTidSchedstat.column(1)), "time waited on a run queue"),
        counter("timeslices", unit::count, from(kTidSchedstat.column(2)),
                "times it was given a CPU"),
    });

/// What ended processes used beyond what the last sample had seen of them, summed since the
/// recorder's start.
inline constexpr auto process_exit = table(
    TableId::process_exit, "process_exit",
    "CPU time of processes that ended between two samples, by command, user and control group",
    kEverySample,
    {
        text_key("command", from(kTaskstats.key("command")), "command name (comm)"),
        key("uid", from(kTaskstats.key("uid")), "user"),
        text_key("cgroup", from(kTaskstats.key("cgroup")),
                 "control group: its own, or that of the nearest ancestor seen"),
        text("user", from(kTaskstats.key("user")), "name of the user, or its number"),
        counter("exits", unit::count, from(kTaskstats.key("exits")), "processes that ended"),
        counter("user_time", unit::us, from(kTaskstats.key("user_time")),
                "CPU time in user mode not seen in `process`"),
        counter("system_time", unit::us, from(kTaskstats.key("system_time")),
                "CPU time in the kernel not seen in `process`"),
        counter("failed", unit::count, from(kTaskstats.key("failed")),
                "processes that ended by a signal or with a code other than 0"),
        counter("lost", unit::count, from(kTaskstats.key("lost")),
                "messages of ended processes that were lost; in the row without a command"),
    });

}  // namespace tacho::schema
