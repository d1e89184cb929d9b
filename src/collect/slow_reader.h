// A reader on a thread of its own: what it waits for never delays a sample.
#pragma once

#include <cstdint>
#include <memory>

#include "collect/reader.h"
#include "sample/rows.h"

namespace tacho {

/// Asked for by the sampling thread, which never waits for it. When the reader hangs (a dead mount,
/// a driver), its table is absent with `timed_out` until it answers; the thread is left behind when
/// the program ends.
class SlowReader {
 public:
  SlowReader(std::unique_ptr<Reader> reader, std::shared_ptr<Machine> machine, Cadence cadence);
  ~SlowReader();
  SlowReader(const SlowReader&) = delete;
  SlowReader& operator=(const SlowReader&) = delete;

  [[nodiscard]] TableId table() const;
  /// Starts a reading if one is due and none is under way.
  void request(const Clocks& clock, uint64_t sample);
  /// The rows of a reading that has ended since the last take(), or null. Once, when a reading has
  /// taken longer than it may: empty rows with the reason.
  [[nodiscard]] std::shared_ptr<Rows> take(int64_t monotonic_ns);
  /// Waits until the reading under way has ended, or until `deadline_ns` (MONOTONIC).
  void wait(int64_t deadline_ns);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive this
  Cadence cadence_;
  int64_t requested_ns_ = 0;
  bool ever_ = false;
  bool reported_hang_ = false;
};

}  // namespace tacho
