// Two samples → rates. All the awkward questions of counters (wrap, reset, instances that begin,
// end, or return, suspends, clocks that jump) are answered here, once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sample/sample.h"

namespace tacho {

class Window;

/// One table over a window: the rows of its end, each with its row at the beginning where it had
/// one.
class TableWindow {
 public:
  /// Rows at the end; null where the table was not read.
  [[nodiscard]] const Rows* rows() const { return end_.get(); }
  [[nodiscard]] size_t size() const { return end_ ? end_->size() : 0; }
  /// Measured time between the two readings of this table, on MONOTONIC; 0 where it was read once.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Why the table has no rows or no rates; `no` where it has both.
  [[nodiscard]] Absent absent() const { return absent_; }

  /// Growth of a counter, in the unit people read. Absent: was_reset where it fell (a 32-bit one
  /// that wrapped did not fall), no_second_sample, not_due, or the reason of the cell.
  [[nodiscard]] Number delta(size_t row, Column column) const;
  /// delta() per second.
  [[nodiscard]] Number rate(size_t row, Column column) const;
  /// A gauge at the end, in the unit people read.
  [[nodiscard]] Number gauge(size_t row, Column column) const;
  [[nodiscard]] std::string_view text(size_t row, Column column) const {
    return end_->text(row, column);
  }
  /// Whether the instance began inside the window: its counters started at zero.
  [[nodiscard]] bool born(size_t row) const { return before_[row] == kBorn; }

 private:
  friend class Window;
  static constexpr size_t kBorn = static_cast<size_t>(-1);
  static constexpr size_t kUnknown = static_cast<size_t>(-2);
  void match();
  [[nodiscard]] bool fell(size_t row, size_t before) const;
  [[nodiscard]] bool began_inside(size_t row) const;

  TableId id_ = TableId::host;
  RowsPtr begin_;  ///< in the pool of end_
  RowsPtr end_;
  double seconds_ = 0;
  int64_t begin_boottime_ns_ = 0;
  bool from_boot_ = false;
  Absent absent_ = Absent::not_read;
  std::vector<size_t> before_;  ///< row at the beginning, kBorn or kUnknown
};

/// The time between two samples. Cheap to make: tables are matched when they are asked for.
class Window {
 public:
  /// `begin` before `end`. Samples of different boots have no rates in common: everything counts
  /// since the later boot.
  Window(SamplePtr begin, SamplePtr end);
  /// From an all-zero sample at boot. What the kernel counts since boot is a rate over the uptime.
  [[nodiscard]] static Window since_boot(SamplePtr end);

  [[nodiscard]] const TableWindow& table(TableId id) const;
  [[nodiscard]] const Sample& begin() const { return *begin_; }
  [[nodiscard]] const Sample& end() const { return *end_; }
  [[nodiscard]] const SamplePtr& end_ptr() const { return end_; }
  /// Measured time, on MONOTONIC: not while the machine was suspended.
  [[nodiscard]] double seconds() const;
  /// Time for which the machine was suspended inside the window.
  [[nodiscard]] double suspended_seconds() const;
  [[nodiscard]] bool is_since_boot() const { return from_boot_; }

 private:
  void prepare(TableWindow& window, TableId id) const;

  SamplePtr begin_;
  SamplePtr end_;
  bool from_boot_ = false;
  mutable std::array<std::unique_ptr<TableWindow>, kTableCount> tables_{};
};

}  // namespace tacho
