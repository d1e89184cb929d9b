// The Cursor over a recording, and what a recording holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "sample/cursor.h"

namespace tacho {

/// Reads while a recorder writes and drops what is old, and never holds it up. Needs neither a
/// driver nor the machine that was recorded. at() is a search in the index and the decoding of one
/// chunk. A damaged chunk is skipped and noted in gaps(); so is what is missing between two samples
/// that next() gave. Its samples have the tables host and recorder, selected or not.
[[nodiscard]] Result<std::unique_ptr<Cursor>> open_recording(const std::string& folder,
                                                             const Selection& selection);

struct Contents {
  int64_t from_ns = 0;  ///< REALTIME of the first and last sample; 0 where there are none
  int64_t to_ns = 0;
  uint64_t samples = 0;
  uint64_t bytes = 0;  ///< of all its files
  std::vector<Gap> gaps;
};

/// By the indexes and the tail; decodes no chunk. Its gaps are those of damaged segments.
[[nodiscard]] Result<Contents> describe_recording(const std::string& folder);

/// Every stretch of time that is missing, oldest first: what is damaged, samples that were lost,
/// and times in which none was taken (gap_between), of these the latest `most`.
[[nodiscard]] Result<std::vector<Gap>> recorded_gaps(const std::string& folder, size_t most = 100);

}  // namespace tacho
