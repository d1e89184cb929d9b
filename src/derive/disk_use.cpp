#include "derive/disk_use.h"

#include <algorithm>

#include "derive/figure.h"
#include "schema/disk.h"

namespace tacho {
namespace {

/// What a kernel does not have did not happen; any other absence makes the sum absent.
Number plus(Number a, Number b) {
  if (a.absent == Absent::not_supported) return b;
  if (b.absent == Absent::not_supported) return a;
  if (!a) return a;
  if (!b) return b;
  return *a + *b;
}

Number ratio(Number above, Number below) {
  if (!above) return above;
  if (!below) return below;
  if (*below <= 0) return Absent::not_applicable;
  return *above / *below;
}

DiskUse::Requests plus(const DiskUse::Requests& a, const DiskUse::Requests& b) {
  return {plus(a.count, b.count), plus(a.merged, b.merged), plus(a.bytes, b.bytes),
          plus(a.time, b.time)};
}

}  // namespace

Number DiskUse::Requests::await() const {
  return ratio(time, count);
}
Number DiskUse::Requests::size() const {
  return ratio(bytes, count);
}
Number DiskUse::Requests::merged_share() const {
  return figure::share(merged, plus(merged, count));
}

DiskUse DiskUse::none() {
  Number nothing = Absent::not_applicable;
  DiskUse use;
  use.reads = use.writes = use.discards = {nothing, nothing, nothing, nothing};
  use.flushes = use.flush_time = use.queue_time = use.busy_time = nothing;
  return use;
}

DiskUse DiskUse::of(const Window& window, size_t row) {
  const TableWindow& disk = window.table(TableId::disk);
  auto delta = [&](Column column) { return disk.delta(row, column); };
  DiskUse use;
  use.reads = {delta(schema::disk["reads"]), delta(schema::disk["reads_merged"]),
               delta(schema::disk["read_bytes"]), delta(schema::disk["read_time"])};
  use.writes = {delta(schema::disk["writes"]), delta(schema::disk["writes_merged"]),
                delta(schema::disk["write_bytes"]), delta(schema::disk["write_time"])};
  use.discards = {delta(schema::disk["discards"]), delta(schema::disk["discards_merged"]),
                  delta(schema::disk["discard_bytes"]), delta(schema::disk["discard_time"])};
  use.flushes = delta(schema::disk["flushes"]);
  use.flush_time = delta(schema::disk["flush_time"]);
  use.queue_time = delta(schema::disk["queue_time"]);
  use.busy_time = delta(schema::disk["busy_time"]);
  use.seconds = disk.seconds();
  use.disks = 1;
  return use;
}

DiskUse& DiskUse::operator+=(const DiskUse& other) {
  if (disks == 0) return *this = other;
  reads = plus(reads, other.reads);
  writes = plus(writes, other.writes);
  discards = plus(discards, other.discards);
  flushes = plus(flushes, other.flushes);
  flush_time = plus(flush_time, other.flush_time);
  queue_time = plus(queue_time, other.queue_time);
  busy_time = plus(busy_time, other.busy_time);
  disks += other.disks;
  return *this;
}

Number DiskUse::per_second(Number amount) const {
  if (!amount) return amount;
  return seconds > 0 ? Number(*amount / seconds) : Number(Absent::no_second_sample);
}

DiskUse::Requests DiskUse::all() const {
  return plus(plus(reads, writes), discards);
}

Number DiskUse::flush_await() const {
  return ratio(flush_time, flushes);
}
Number DiskUse::queue() const {
  return per_second(queue_time);
}
Number DiskUse::raw_util() const {
  Number busy = per_second(busy_time);
  return busy ? Number(*busy * 100 / static_cast<double>(std::max<size_t>(disks, 1))) : busy;
}
Number DiskUse::util() const {
  Number raw = raw_util();
  return raw ? Number(std::min(*raw, 100.0)) : raw;
}

}  // namespace tacho
