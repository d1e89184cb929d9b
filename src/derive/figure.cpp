#include "derive/figure.h"

#include <algorithm>
#include <array>

#include "derive/disk_use.h"
#include "schema/cgroup.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/memory.h"
#include "schema/net.h"
#include "schema/process.h"

namespace tacho {
namespace figure {
namespace {

/// Sum of deltas; the first that is absent makes the sum absent, unless the kernel does not have
/// it.
template <size_t N>
Number sum(const TableWindow& table, size_t row, const std::array<Column, N>& columns) {
  double total = 0;
  for (Column column : columns) {
    Number part = table.delta(row, column);
    if (part.absent == Absent::not_supported) continue;
    if (!part) return part;
    total += *part;
  }
  return total;
}

Number ratio(Number above, Number below) {
  if (!above) return above;
  if (!below) return below;
  if (*below <= 0) return Absent::not_applicable;
  return *above / *below;
}

Number plus(Number a, Number b) {
  if (!a) return a;
  if (!b) return b;
  return *a + *b;
}

/// proc_stat(5): guest time is also in user, so it is not part of the total.
constexpr std::array kCpuTotal{schema::cpu["user"],    schema::cpu["nice"],   schema::cpu["system"],
                               schema::cpu["idle"],    schema::cpu["iowait"], schema::cpu["irq"],
                               schema::cpu["softirq"], schema::cpu["steal"]};
constexpr std::array kCpuBusy{schema::cpu["user"], schema::cpu["nice"],    schema::cpu["system"],
                              schema::cpu["irq"],  schema::cpu["softirq"], schema::cpu["steal"]};

Number part_of(const TableWindow& table, size_t row, CpuPart part) {
  switch (part) {
    case CpuPart::user:
      return table.delta(row, schema::cpu["user"]);
    case CpuPart::nice:
      return table.delta(row, schema::cpu["nice"]);
    case CpuPart::system:
      return table.delta(row, schema::cpu["system"]);
    case CpuPart::idle:
      return table.delta(row, schema::cpu["idle"]);
    case CpuPart::iowait:
      return table.delta(row, schema::cpu["iowait"]);
    case CpuPart::irq:
      return table.delta(row, schema::cpu["irq"]);
    case CpuPart::softirq:
      return table.delta(row, schema::cpu["softirq"]);
    case CpuPart::steal:
      return table.delta(row, schema::cpu["steal"]);
    case CpuPart::guest:
      return plus(table.delta(row, schema::cpu["guest"]),
                  table.delta(row, schema::cpu["guest_nice"]));
  }
  return Absent::not_applicable;
}

}  // namespace

Number share(Number part, Number whole) {
  Number r = ratio(part, whole);
  return r ? Number(*r * 100) : r;
}

Number cpu_share(const Window& window, size_t row, CpuPart part) {
  const TableWindow& cpu = window.table(TableId::cpu);
  return share(part_of(cpu, row, part), sum(cpu, row, kCpuTotal));
}

Number cpu_busy(const Window& window, size_t row) {
  const TableWindow& cpu = window.table(TableId::cpu);
  return share(sum(cpu, row, kCpuBusy), sum(cpu, row, kCpuTotal));
}

Number disk_read_await(const Window& window, size_t row) {
  return DiskUse::of(window, row).reads.await();
}
Number disk_write_await(const Window& window, size_t row) {
  return DiskUse::of(window, row).writes.await();
}
Number disk_await(const Window& window, size_t row) {
  return DiskUse::of(window, row).all().await();
}
Number disk_queue(const Window& window, size_t row) {
  return DiskUse::of(window, row).queue();
}
Number disk_raw_util(const Window& window, size_t row) {
  return DiskUse::of(window, row).raw_util();
}
Number disk_util(const Window& window, size_t row) {
  return DiskUse::of(window, row).util();
}
Number disk_read_size(const Window& window, size_t row) {
  return DiskUse::of(window, row).reads.size();
}
Number disk_reads(const Window& window, size_t row) {
  return window.table(TableId::disk).rate(row, schema::disk["reads"]);
}

Number process_cpu(const Window& window, size_t row) {
  const TableWindow& process = window.table(TableId::process);
  Number rate = plus(process.rate(row, schema::process["user_time"]),
                     process.rate(row, schema::process["system_time"]));
  return rate ? Number(*rate * 100) : rate;
}
Number thread_cpu(const Window& window, size_t row) {
  const TableWindow& thread = window.table(TableId::thread);
  Number rate = plus(thread.rate(row, schema::thread["user_time"]),
                     thread.rate(row, schema::thread["system_time"]));
  return rate ? Number(*rate * 100) : rate;
}
Number process_cpu_time(const Window& window, size_t row) {
  const TableWindow& process = window.table(TableId::process);
  return plus(process.gauge(row, schema::process["user_time"]),
              process.gauge(row, schema::process["system_time"]));
}
Number process_cpu_time_of_family(const Window& window, size_t row) {
  const TableWindow& process = window.table(TableId::process);
  return plus(process_cpu_time(window, row),
              plus(process.gauge(row, schema::process["children_user_time"]),
                   process.gauge(row, schema::process["children_system_time"])));
}
Number thread_cpu_time(const Window& window, size_t row) {
  const TableWindow& thread = window.table(TableId::thread);
  return plus(thread.gauge(row, schema::thread["user_time"]),
              thread.gauge(row, schema::thread["system_time"]));
}
Number process_elapsed(const Window& window, size_t row) {
  Number start = window.table(TableId::process).gauge(row, schema::process["start"]);
  if (!start) return start;
  return std::max(static_cast<double>(window.end().clock.boottime_ns) / 1e9 - *start, 0.0);
}
Number process_cpu_of_life(const Window& window, size_t row) {
  return share(process_cpu_time(window, row), process_elapsed(window, row));
}
Number process_cpu_of_family(const Window& window, size_t row) {
  return share(process_cpu_time_of_family(window, row), process_elapsed(window, row));
}
Number process_memory_share(const Window& window, size_t row) {
  const TableWindow& memory = window.table(TableId::memory);
  if (memory.size() == 0) return memory.absent();
  return share(window.table(TableId::process).gauge(row, schema::process["resident"]),
               memory.gauge(0, schema::memory["total"]));
}
Number process_memory_used(const Window& window, size_t row) {
  const TableWindow& process = window.table(TableId::process);
  return plus(process.gauge(row, schema::process["resident"]),
              process.gauge(row, schema::process["swap"]));
}
Number process_wait(const Window& window, size_t row) {
  const TableWindow& process = window.table(TableId::process);
  Number waited = process.rate(row, schema::process["run_delay"]);
  Number ran = process_cpu(window, row);
  if (!waited || !ran) return waited ? ran : waited;
  return share(waited, *waited + *ran / 100);
}

Number memory_used(const Window& window, size_t row) {
  const TableWindow& memory = window.table(TableId::memory);
  Number total = memory.gauge(row, schema::memory["total"]);
  Number available = memory.gauge(row, schema::memory["available"]);
  if (!total || !available) return total ? available : total;
  // In some containers more is available than there is.
  if (*available > *total) available = memory.gauge(row, schema::memory["free"]);
  return available ? Number(*total - *available) : available;
}
Number memory_cached(const Window& window, size_t row) {
  const TableWindow& memory = window.table(TableId::memory);
  Number reclaimable = memory.gauge(row, schema::memory["sreclaimable"]);
  if (reclaimable.absent == Absent::not_supported) reclaimable = 0.0;
  return plus(plus(memory.gauge(row, schema::memory["buffers"]),
                   memory.gauge(row, schema::memory["cached"])),
              reclaimable);
}
Number swap_used(const Window& window, size_t row) {
  const TableWindow& memory = window.table(TableId::memory);
  Number total = memory.gauge(row, schema::memory["swap_total"]);
  Number free = memory.gauge(row, schema::memory["swap_free"]);
  if (!total || !free) return total ? free : total;
  return *total - *free;
}
Number memory_used_share(const Window& window, size_t row) {
  const TableWindow& memory = window.table(TableId::memory);
  Number total = memory.gauge(row, schema::memory["total"]);
  Number available = memory.gauge(row, schema::memory["available"]);
  if (!total || !available) return total ? available : total;
  return share(*total - *available, total);
}
Number swap_used_share(const Window& window, size_t row) {
  return share(swap_used(window, row),
               window.table(TableId::memory).gauge(row, schema::memory["swap_total"]));
}
/// As df: of what ordinary users could ever have, what is taken.
Number filesystem_used_share(const Window& window, size_t row) {
  const TableWindow& fs = window.table(TableId::filesystem);
  Number size = fs.gauge(row, schema::filesystem["size"]);
  Number free = fs.gauge(row, schema::filesystem["free"]);
  Number available = fs.gauge(row, schema::filesystem["available"]);
  if (!size || !free || !available) return !size ? size : !free ? free : available;
  double used = *size - *free;
  return share(used, used + *available);
}
Number filesystem_inodes_share(const Window& window, size_t row) {
  const TableWindow& fs = window.table(TableId::filesystem);
  Number inodes = fs.gauge(row, schema::filesystem["inodes"]);
  Number free = fs.gauge(row, schema::filesystem["inodes_free"]);
  if (!inodes || !free) return inodes ? free : inodes;
  return share(*inodes - *free, inodes);
}
Number net_use(const Window& window, size_t row) {
  const TableWindow& net = window.table(TableId::net);
  Number speed = net.gauge(row, schema::net["speed"]);
  Number rx = net.rate(row, schema::net["rx_bytes"]);
  Number tx = net.rate(row, schema::net["tx_bytes"]);
  if (!rx || !tx) return rx ? tx : rx;
  return share(std::max(*rx, *tx) * 8, speed);
}
Number tcp_retransmit_share(const Window& window, size_t row) {
  const TableWindow& tcp = window.table(TableId::tcp);
  return share(tcp.delta(row, schema::tcp["retransmits"]),
               tcp.delta(row, schema::tcp["out_segments"]));
}
Number cgroup_throttled_share(const Window& window, size_t row) {
  const TableWindow& cgroup = window.table(TableId::cgroup);
  return share(cgroup.delta(row, schema::cgroup["throttled_periods"]),
               cgroup.delta(row, schema::cgroup["periods"]));
}

}  // namespace figure

namespace {

using figure::CpuPart;

template <CpuPart part>
Number cpu_part(const Window& window, size_t row) {
  return figure::cpu_share(window, row, part);
}

/// Share of the window's time for which tasks stalled.
template <uint16_t index>
Number pressure(const Window& window, size_t row) {
  Number stalled = window.table(TableId::pressure).rate(row, Column{TableId::pressure, index});
  return stalled ? Number(*stalled * 100) : stalled;
}

constexpr std::array kFigures{
    Figure{"cpu.user_share", TableId::cpu, Dimension::percent, "%us with guests, without nice",
           cpu_part<CpuPart::user>},
    Figure{"cpu.nice_share", TableId::cpu, Dimension::percent, "%ni", cpu_part<CpuPart::nice>},
    Figure{"cpu.system_share", TableId::cpu, Dimension::percent, "%sy without interrupts",
           cpu_part<CpuPart::system>},
    Figure{"cpu.idle_share", TableId::cpu, Dimension::percent, "%id", cpu_part<CpuPart::idle>},
    Figure{"cpu.iowait_share", TableId::cpu, Dimension::percent, "%wa", cpu_part<CpuPart::iowait>},
    Figure{"cpu.irq_share", TableId::cpu, Dimension::percent, "%hi", cpu_part<CpuPart::irq>},
    Figure{"cpu.softirq_share", TableId::cpu, Dimension::percent, "%si",
           cpu_part<CpuPart::softirq>},
    Figure{"cpu.steal_share", TableId::cpu, Dimension::percent, "%st", cpu_part<CpuPart::steal>},
    Figure{"cpu.busy_share", TableId::cpu, Dimension::percent, "neither idle nor waiting for I/O",
           figure::cpu_busy},
    Figure{"pressure.cpu_some_share", TableId::pressure, Dimension::percent,
           "time some task waited for a CPU", pressure<schema::pressure["cpu_some"].index>},
    Figure{"pressure.memory_some_share", TableId::pressure, Dimension::percent,
           "time some task waited for memory", pressure<schema::pressure["memory_some"].index>},
    Figure{"pressure.memory_full_share", TableId::pressure, Dimension::percent,
           "time all tasks waited for memory", pressure<schema::pressure["memory_full"].index>},
    Figure{"pressure.io_some_share", TableId::pressure, Dimension::percent,
           "time some task waited for I/O", pressure<schema::pressure["io_some"].index>},
    Figure{"pressure.io_full_share", TableId::pressure, Dimension::percent,
           "time all tasks waited for I/O", pressure<schema::pressure["io_full"].index>},
    Figure{"memory.used", TableId::memory, Dimension::bytes, "used, as free: total less available",
           figure::memory_used},
    Figure{"memory.cached_all", TableId::memory, Dimension::bytes,
           "buff/cache, as free: buffers, page cache, reclaimable kernel caches",
           figure::memory_cached},
    Figure{"memory.swap_used", TableId::memory, Dimension::bytes, "swap in use", figure::swap_used},
    Figure{"memory.used_share", TableId::memory, Dimension::percent, "memory that is not available",
           figure::memory_used_share},
    Figure{"memory.swap_share", TableId::memory, Dimension::percent, "swap in use",
           figure::swap_used_share},
    Figure{"disk.read_await", TableId::disk, Dimension::seconds, "r_await: mean time of a read",
           figure::disk_read_await},
    Figure{"disk.write_await", TableId::disk, Dimension::seconds, "w_await: mean time of a write",
           figure::disk_write_await},
    Figure{"disk.await", TableId::disk, Dimension::seconds, "await: mean time of a request",
           figure::disk_await},
    Figure{"disk.queue", TableId::disk, Dimension::none,
           "aqu-sz: mean number of requests outstanding", figure::disk_queue},
    Figure{"disk.raw_util", TableId::disk, Dimension::percent,
           "time with a request outstanding, as counted", figure::disk_raw_util},
    Figure{"disk.util", TableId::disk, Dimension::percent, "%util: the same, at most 100",
           figure::disk_util},
    Figure{"disk.read_size", TableId::disk, Dimension::bytes, "rareq-sz: mean size of a read",
           figure::disk_read_size},
    Figure{"filesystem.used_share", TableId::filesystem, Dimension::percent, "space in use, as df",
           figure::filesystem_used_share},
    Figure{"filesystem.inodes_share", TableId::filesystem, Dimension::percent, "inodes in use",
           figure::filesystem_inodes_share},
    Figure{"net.use_share", TableId::net, Dimension::percent,
           "of the link's speed, the busier direction", figure::net_use},
    Figure{"tcp.retransmit_share", TableId::tcp, Dimension::percent,
           "of the segments sent, those sent again", figure::tcp_retransmit_share},
    Figure{"process.cpu", TableId::process, Dimension::percent, "%CPU: 100 is one CPU",
           figure::process_cpu},
    Figure{"process.cpu_time", TableId::process, Dimension::seconds,
           "TIME+: CPU time since it began", figure::process_cpu_time},
    Figure{"process.family_cpu_time", TableId::process, Dimension::seconds,
           "TIME+ of top -S: with that of its children that ended",
           figure::process_cpu_time_of_family},
    Figure{"process.elapsed", TableId::process, Dimension::seconds, "ELAPSED: since it began",
           figure::process_elapsed},
    Figure{"process.life_cpu", TableId::process, Dimension::percent,
           "%CUU: CPU time over the time since it began", figure::process_cpu_of_life},
    Figure{"process.family_cpu", TableId::process, Dimension::percent,
           "%CUC: the same with its children's", figure::process_cpu_of_family},
    Figure{"process.memory_share", TableId::process, Dimension::percent,
           "%MEM: resident memory over the machine's", figure::process_memory_share},
    Figure{"process.memory_used", TableId::process, Dimension::bytes,
           "USED: resident and swapped memory", figure::process_memory_used},
    Figure{"thread.cpu", TableId::thread, Dimension::percent, "%CPU: 100 is one CPU",
           figure::thread_cpu},
    Figure{"thread.cpu_time", TableId::thread, Dimension::seconds, "TIME+: CPU time since it began",
           figure::thread_cpu_time},
    Figure{"process.wait_share", TableId::process, Dimension::percent,
           "of the time it could run, waiting for a CPU", figure::process_wait},
    Figure{"cgroup.throttled_share", TableId::cgroup, Dimension::percent,
           "of its periods, those in which its quota stopped it", figure::cgroup_throttled_share},
};

}  // namespace

std::span<const Figure> figures() {
  return kFigures;
}

const Figure* find_figure(std::string_view id) {
  auto found = std::ranges::find(kFigures, id, &Figure::id);
  return found == kFigures.end() ? nullptr : &*found;
}

}  // namespace tacho
