// The index beside a segment: where its chunks lie and when. Whatever it lacks or has wrong is
// taken from the segment itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "sample/gap.h"

namespace tacho {

/// A chunk in a segment; 32 bytes in the index.
struct IndexEntry {
  int64_t first_realtime_ns = 0;
  uint64_t offset = 0;
  uint32_t length = 0;
  uint32_t duration_ms = 0;  ///< rounded up: the last sample lies within
  uint32_t samples = 0;

  [[nodiscard]] int64_t last_realtime_ns() const {
    return first_realtime_ns + int64_t{duration_ms} * kMillisecond;
  }
  /// The clock may have been set back in between: the duration is 0 then.
  void set_last(int64_t last_realtime_ns);
  bool operator==(const IndexEntry&) const = default;
};

[[nodiscard]] std::string encode_index_entry(const IndexEntry& entry);

/// The chunks of a segment, in its order. Entries of the index that match their checksums and the
/// segment are believed; stretches that none of them covers are searched for chunks, so that an
/// index may be missing, damaged, cut off or older (or younger, in a copy) than its segment.
/// Damaged stretches are added to `gaps`; the end of a chunk that is just being written, whose
/// samples still stand in a tail, is no damage.
[[nodiscard]] Result<std::vector<IndexEntry>> load_index(const std::string& folder,
                                                         const std::string& segment,
                                                         std::vector<Gap>* gaps);

}  // namespace tacho
