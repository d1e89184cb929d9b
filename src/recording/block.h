// A stretch of a recording that can be decoded by itself: a chunk, or a tail.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "recording/delta.h"
#include "recording/tail.h"
#include "sample/cursor.h"

namespace tacho {

/// Where a block lies; `chunk` or, for a tail, nothing but the file.
struct BlockRef {
  std::string file;  ///< name in the folder
  bool tail = false;
  uint64_t offset = 0;
  uint32_t length = 0;
  int64_t first_realtime_ns = 0;
  int64_t last_realtime_ns = 0;
  uint32_t samples = 0;
};

/// The blocks of a folder in the order of their samples. A recorder may turn a tail into a chunk
/// meanwhile: every sample that was there stands in one of them, or in both (readers pass over
/// those whose number they have had). A tail that is gone when it is opened has become a chunk
/// since.
[[nodiscard]] Result<std::vector<BlockRef>> list_blocks(const std::string& folder,
                                                        std::vector<Gap>* gaps);

/// The samples of one block, one after the other.
class Block {
 public:
  /// `schema` is the segment's, where it is known already.
  [[nodiscard]] static Result<std::unique_ptr<Block>> open(
      const std::string& folder, const BlockRef& ref,
      const std::shared_ptr<const RecordedSchema>& schema, const Selection& selection);

  /// The next sample; null at the end, which for a tail is the end for now.
  [[nodiscard]] Result<SamplePtr> next();
  /// Starts again before the first sample.
  void rewind();
  /// How many samples next() has given since the beginning.
  [[nodiscard]] size_t position() const { return position_; }
  [[nodiscard]] bool is_tail() const { return tail_.has_value(); }

 private:
  Block(std::shared_ptr<const RecordedSchema> schema, const Selection& selection);
  std::shared_ptr<const RecordedSchema> schema_;
  Selection selection_;
  std::vector<SampleDelta> deltas_;  ///< all of a chunk; of a tail, what was read so far
  std::optional<TailReader> tail_;
  Applier applier_;
  size_t position_ = 0;
};

}  // namespace tacho
