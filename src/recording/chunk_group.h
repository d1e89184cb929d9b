// One table of a chunk: its columns as streams of bytes. Shared by the two directions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "recording/delta.h"

namespace tacho {

/// A change of one column, in the time of its table: `at` counts the samples that have the table.
struct ColumnChange {
  uint32_t slot = 0;
  uint32_t at = 0;
  int64_t delta = 0;
};

/// When an instance was there, in the time of its table.
struct Life {
  uint32_t born = 0;
  uint32_t died = 0;  ///< first `at` without it; the number of samples where it lived to the end
};

/// What a table was in one sample that has it.
struct TableMoment {
  uint32_t sample = 0;  ///< index in the chunk
  bool fresh = true;
  int64_t read_ns = 0;
  int64_t cost_ns = 0;
  Absent absent = Absent::no;
};

struct ChunkGroup {
  std::vector<TableMoment> moments;
  std::vector<Life> lives;  ///< by slot
  std::vector<uint64_t> birth_cells;
  std::vector<Absent> birth_reasons;
  std::vector<std::vector<ColumnChange>> columns;
  std::vector<std::vector<ColumnChange>> reasons;  ///< delta is the new reason

  /// The streams. `monotonic_ns` is that of each sample of the chunk.
  [[nodiscard]] std::string encode(const std::vector<int64_t>& monotonic_ns);
  /// `budget`: how many births' cells and changes may still come; what came is taken off.
  [[nodiscard]] static Result<ChunkGroup> decode(std::string_view bytes, size_t width,
                                                 const std::vector<int64_t>& monotonic_ns,
                                                 uint64_t& budget);
  /// Distributes the group over the samples' deltas.
  void give(uint16_t table, std::vector<SampleDelta>& deltas) const;
};

}  // namespace tacho
