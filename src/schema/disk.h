#pragma once

#include "schema/table.h"

namespace tacho::schema {

/// Documentation/admin-guide/iostats.rst; block/genhd.c. Times are u32 milliseconds in the kernel.
inline constexpr Source kDiskstats{"proc/diskstats", Shape::rows};
inline constexpr Source kRotational{"sys/class/block/{device}/queue/rotational", Shape::value};
inline constexpr Source kSectors{"sys/class/block/{device}/size", Shape::value};
inline constexpr Source kModel{"sys/class/block/{device}/device/model", Shape::value};
inline constexpr Source kDmName{"sys/class/block/{device}/dm/name", Shape::value};
inline constexpr Source kPartition{"sys/class/block/{device}/partition", Shape::value};
inline constexpr Source kNrRequests{"sys/class/block/{device}/queue/nr_requests", Shape::value};
inline constexpr Source kScheduler{"sys/class/block/{device}/queue/scheduler", Shape::value};
/// statfs(2) of the mounts of proc/self/mountinfo that lie on this machine.
inline constexpr Source kStatfs{"statfs", Shape::call};
/// nfs mounts of proc/self/mountstats; net/sunrpc/stats.c.
inline constexpr Source kMountstats{"proc/self/mountstats", Shape::call};

inline constexpr auto disk = table(
    TableId::disk, "disk", "requests, bytes and times of each block device and partition",
    kEverySample,
    {
        text_key("device", from(kDiskstats.column(2)), "name of the device"),
        gauge("major", unit::count, from(kDiskstats.column(0)), "device number, major"),
        gauge("minor", unit::count, from(kDiskstats.column(1)), "device number, minor"),
        counter("reads", unit::count, from(kDiskstats.column(3)), "reads completed"),
        counter("reads_merged", unit::count, from(kDiskstats.column(4)),
                "reads merged into others"),
        counter("read_bytes", unit::sectors, from(kDiskstats.column(5)), "bytes read"),
        counter("read_time", unit::ms, from(kDiskstats.column(6)), "time reads took, summed").u32(),
        counter("writes", unit::count, from(kDiskstats.column(7)), "writes completed"),
        counter("writes_merged", unit::count, from(kDiskstats.column(8)),
                "writes merged into others"),
        counter("write_bytes", unit::sectors, from(kDiskstats.column(9)), "bytes written"),
        counter("write_time", unit::ms, from(kDiskstats.column(10)), "time writes took, summed")
            .u32(),
        gauge("in_flight", unit::count, from(kDiskstats.column(11)), "requests not yet completed"),
        counter("busy_time", unit::ms, from(kDiskstats.column(12)),
                "time with at least one request outstanding")
            .u32(),
        counter("queue_time", unit::ms, from(kDiskstats.column(13)),
                "time requests were outstanding, summed over requests")
            .u32(),
        counter("discards", unit::count, from(kDiskstats.column(14)), "discards completed"),
        counter("discards_merged", unit::count, from(kDiskstats.column(15)),
                "discards merged into others"),
        counter("discard_bytes", unit::sectors, from(kDiskstats.column(16)), "bytes discarded"),
        counter("discard_time", unit::ms, from(kDiskstats.column(17)), "time discards took, summed")
            .u32(),
        counter("flushes", unit::count, from(kDiskstats.column(18)), "flushes completed"),
        counter("flush_time", unit::ms, from(kDiskstats.column(19)), "time flushes took, summed")
            .u32(),
        gauge("size", unit::sectors, from(kSectors.all()), "size of the device"),
        gauge("rotational", unit::count, from(kRotational.all()), "1 for a spinning disk"),
        gauge("partition", unit::count, from(kPartition.all()),
              "number of the partition; absent for a whole disk"),
        text("model", from(kModel.all()), "model"),
        text("dm_name", from(kDmName.all()), "name in the device mapper"),
    });

inline constexpr auto filesystem = table(
    TableId::filesystem, "filesystem", "space and inodes of the mounted local file systems",
    every_seconds(10),
    {
        text_key("mount", from(kStatfs.key("mount")), "where it is mounted"),
        text("device", from(kStatfs.key("device")), "what is mounted"),
        text("type", from(kStatfs.key("type")), "kind of file system"),
        gauge("block_size", unit::bytes, from(kStatfs.key("block_size")), "bytes in a block"),
        gauge("size", unit::kib, from(kStatfs.key("size")), "size"),
        gauge("free", unit::kib, from(kStatfs.key("free")), "unused, reserved blocks included"),
        gauge("available", unit::kib, from(kStatfs.key("available")),
              "what ordinary users may take"),
        gauge("inodes", unit::count, from(kStatfs.key("inodes")), "inodes"),
        gauge("inodes_free", unit::count, from(kStatfs.key("inodes_free")), "unused inodes"),
        gauge("read_only", unit::count, from(kStatfs.key("read_only")),
              "1 where mounted read-only"),
    });

inline constexpr auto mount_nfs = table(
    TableId::mount_nfs, "mount_nfs", "requests of each NFS mount, by operation", every_seconds(5),
    {
        text_key("mount", from(kMountstats.key("mount")), "where it is mounted"),
        text_key("operation", from(kMountstats.key("operation")), "READ, WRITE, GETATTR …"),
        text("device", from(kMountstats.key("device")), "server and path"),
        counter("requests", unit::count, from(kMountstats.key("requests")), "operations begun"),
        counter("transmissions", unit::count, from(kMountstats.key("transmissions")),
                "requests sent, repetitions included"),
        counter("timeouts", unit::count, from(kMountstats.key("timeouts")), "major timeouts"),
        counter("bytes_sent", unit::bytes, from(kMountstats.key("bytes_sent")), "bytes sent"),
        counter("bytes_received", unit::bytes, from(kMountstats.key("bytes_received")),
                "bytes received"),
        counter("queue_time", unit::ms, from(kMountstats.key("queue_time")),
                "time requests waited to be sent, summed"),
        counter("rtt_time", unit::ms, from(kMountstats.key("rtt_time")),
                "time until replies came, summed"),
        counter("execute_time", unit::ms, from(kMountstats.key("execute_time")),
                "time from request to completion, summed"),
    });

}  // namespace tacho::schema
