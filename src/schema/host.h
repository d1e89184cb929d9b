#pragma once

#include "schema/table.h"

namespace tacho::schema {

inline constexpr Source kUname{"uname", Shape::call};
/// utmp(5): live sessions of users, counted.
inline constexpr Source kUtmp{"utmp", Shape::call};
inline constexpr Source kPidMax{"proc/sys/kernel/pid_max", Shape::value};
inline constexpr Source kSysconf{"sysconf", Shape::call};
/// Documentation/ABI/testing/sysfs-devices-system-cpu: lists such as "0-3,8", which are counted.
inline constexpr Source kCpusOnline{"sys/devices/system/cpu/online", Shape::call};
inline constexpr Source kCpusPresent{"sys/devices/system/cpu/present", Shape::call};
inline constexpr Source kBootId{"proc/sys/kernel/random/boot_id", Shape::value};
inline constexpr Source kCpuinfo{"proc/cpuinfo", Shape::keyed};
inline constexpr Source kHostMeminfo{"proc/meminfo", Shape::keyed};

/// Facts of the machine. uname(2), sysconf(3), proc_cpuinfo(5).
inline constexpr auto host = table(
    TableId::host, "host", "facts of the machine", on_change(60),
    {
        text("name", from(kUname.key("nodename")), "host name"),
        text("kernel", from(kUname.key("release")), "kernel release"),
        text("arch", from(kUname.key("machine")), "machine architecture"),
        text("boot_id", from(kBootId.all()), "changes at every boot"),
        text("cpu_model", from(kCpuinfo.key("model name")), "processor model"),
        gauge("cpus", unit::count, from(kSysconf.key("nprocessors_onln"), kCpusOnline.all()),
              "CPUs online"),
        gauge("cpus_configured", unit::count,
              from(kSysconf.key("nprocessors_conf"), kCpusPresent.all()), "CPUs configured"),
        gauge("page_size", unit::bytes, from(kSysconf.key("pagesize")), "bytes in a memory page"),
        gauge("memory", unit::kib, from(kHostMeminfo.key("MemTotal")), "usable memory"),
        gauge("users", unit::count, from(kUtmp.key("users")), "sessions of users"),
        gauge("pid_max", unit::count, from(kPidMax.all()), "process ids are below this"),
    });

}  // namespace tacho::schema
