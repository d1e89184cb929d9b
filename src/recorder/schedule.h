// When samples are due: at whole multiples of the interval, whatever it takes to read them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tacho {

/// Pure arithmetic on one clock; the caller sleeps.
class Schedule {
 public:
  explicit Schedule(int64_t interval_ns) : interval_ns_(interval_ns) {}

  /// The first sample is due at once; later ones at multiples of the interval on the clock given.
  void start(int64_t now_ns) { due_ns_ = now_ns; }
  [[nodiscard]] int64_t due_ns() const { return due_ns_; }

  struct Tick {
    int64_t late_ns = 0;
    uint64_t missed = 0;  ///< samples that were due before this one and were never taken
  };
  /// To be called when a sample begins. Sets when the next is due: after a suspend or a long stall
  /// it goes on from now, without a burst to catch up.
  Tick begin(int64_t now_ns) {
    Tick tick;
    tick.late_ns = std::max<int64_t>(now_ns - due_ns_, 0);
    tick.missed = static_cast<uint64_t>(tick.late_ns / interval_ns_);
    int64_t next = (now_ns / interval_ns_ + 1) * interval_ns_;
    due_ns_ = next;
    return tick;
  }

 private:
  int64_t interval_ns_;
  int64_t due_ns_ = 0;
};

}  // namespace tacho
