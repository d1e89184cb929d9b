// The table recorder: what recording itself costs.
#pragma once

#include <cstdint>
#include <memory>

#include "collect/reader.h"

namespace tacho {

/// Kept by the loop, read by the reader.
struct SelfCounters {
  uint64_t bytes_written = 0;
  uint64_t late_samples = 0;
  uint64_t missed_samples = 0;
  uint64_t write_errors = 0;
  int64_t late_ns = 0;
  int64_t interval_ns = 0;
  int64_t previous_cost_ns = 0;
};

/// `counters` must outlive the reader.
[[nodiscard]] std::unique_ptr<Reader> make_self_reader(const SelfCounters& counters);

/// Resident memory of this process in KiB; 0 where it cannot be read.
[[nodiscard]] uint64_t resident_kib();

}  // namespace tacho
