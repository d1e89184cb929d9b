// What a disk, or several together, did in a window, and iostat's figures of it: each formula
// stands here once (sysstat, rd_stats.c and iostat.c).
#pragma once

#include <cstddef>

#include "derive/window.h"

namespace tacho {

struct DiskUse {
  /// Of one kind of request.
  struct Requests {
    Number count;
    Number merged;
    Number bytes;
    Number time;  ///< seconds, summed over requests

    /// Seconds that one took; not_applicable where there were none.
    [[nodiscard]] Number await() const;
    /// Bytes of one.
    [[nodiscard]] Number size() const;
    /// Of the requests that came, % that were merged into others.
    [[nodiscard]] Number merged_share() const;
  };

  Requests reads;
  Requests writes;
  Requests discards;
  Number flushes;
  Number flush_time;
  Number queue_time;  ///< seconds requests were outstanding, summed
  Number busy_time;   ///< seconds with at least one outstanding
  double seconds = 0;
  size_t disks = 0;

  /// Of no disk at all: nothing, of which no mean can be made.
  [[nodiscard]] static DiskUse none();
  /// Of one row of the table disk.
  [[nodiscard]] static DiskUse of(const Window& window, size_t row);
  /// Of several together. What one of them does not have (discards) counts as none.
  DiskUse& operator+=(const DiskUse& other);

  /// `amount` a second.
  [[nodiscard]] Number per_second(Number amount) const;
  /// Reads, writes and discards together. Flushes count as writes in the kernel.
  [[nodiscard]] Requests all() const;
  [[nodiscard]] Number flush_await() const;
  /// Requests outstanding on average (aqu-sz).
  [[nodiscard]] Number queue() const;
  /// % of the time with a request outstanding, on average over the disks. May exceed 100 by what
  /// the kernel rounds.
  [[nodiscard]] Number raw_util() const;
  /// The same, at most 100.
  [[nodiscard]] Number util() const;
};

}  // namespace tacho
