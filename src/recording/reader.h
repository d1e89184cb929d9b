// The Cursor over a recording, and what a recording holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "sample/cursor.h"

namespace tacho {

/// Reads while a recorder writes, and never holds it up. Needs neither a driver nor the machine
/// that was recorded. at() is a search in the index and the decoding of one chunk. A damaged chunk
/// is skipped and noted in gaps().
[[nodiscard]] Result<std::unique_ptr<Cursor>> open_recording(const std::string& folder,
                                                             const Selection& selection);

struct Contents {
  int64_t from_ns = 0;  ///< REALTIME of the first and last sample; 0 where there are none
  int64_t to_ns = 0;
  uint64_t samples = 0;
  uint64_t bytes = 0;  ///< of all its files
  std::vector<Gap> gaps;
};

/// By the indexes and the tail; decodes no chunk.
[[nodiscard]] Result<Contents> describe_recording(const std::string& folder);

}  // namespace tacho
