// When samples are due: at whole multiples of the interval, whatever it takes to read them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace tacho {

/// Pure arithmetic; the caller sleeps, on MONOTONIC. Samples are aligned to REALTIME (at 10 s they
/// come at :00, :10, :20 …), so that those of two machines can be laid side by side.
class Schedule {
 public:
  explicit Schedule(int64_t interval_ns) : interval_ns_(interval_ns) {}

  /// The first sample is due at once.
  void start(const Clocks& now) { due_ns_ = now.monotonic_ns; }
  /// MONOTONIC.
  [[nodiscard]] int64_t due_ns() const { return due_ns_; }

  struct Tick {
    int64_t late_ns = 0;
    uint64_t missed = 0;  ///< samples that were due after this one and will never be taken
  };
  /// To be called when a sample begins. Sets when the next is due: after a stall or a suspend it
  /// goes on from now, without a burst to catch up. Lateness is measured on MONOTONIC, so that a
  /// clock which is set makes no sample late.
  Tick begin(const Clocks& now) {
    Tick tick;
    tick.late_ns = std::max<int64_t>(now.monotonic_ns - due_ns_, 0);
    tick.missed = static_cast<uint64_t>(tick.late_ns / interval_ns_);
    due_ns_ += interval_ns_ * (1 + static_cast<int64_t>(tick.missed));
    due_ns_ -= beside_multiple(now.realtime_ns + (due_ns_ - now.monotonic_ns));
    if (due_ns_ <= now.monotonic_ns) due_ns_ += interval_ns_;
    return tick;
  }

 private:
  /// How far a time lies behind (before, where negative) the nearest multiple of the interval: so
  /// the two clocks' drift is taken up in small steps, and a clock that is set makes one interval
  /// between half and one and a half long.
  [[nodiscard]] int64_t beside_multiple(int64_t realtime_ns) const {
    int64_t behind = realtime_ns % interval_ns_;
    if (behind < 0) behind += interval_ns_;
    return behind < interval_ns_ / 2 ? behind : behind - interval_ns_;
  }

  int64_t interval_ns_;
  int64_t due_ns_ = 0;
};

}  // namespace tacho
