// A chunk: up to 300 samples turned into columns. Each table is a group, compressed apart, so that
// a reader decodes only what it wants.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "recording/delta.h"

namespace tacho {

/// Gathers deltas as sparse lists of changes, so that what it holds grows with what changes, not
/// with what is measured.
class ChunkBuilder {
 public:
  explicit ChunkBuilder(std::shared_ptr<const RecordedSchema> schema);
  ~ChunkBuilder();
  ChunkBuilder(ChunkBuilder&&) noexcept;
  ChunkBuilder& operator=(ChunkBuilder&&) noexcept;
  void add(const SampleDelta& delta);
  [[nodiscard]] size_t samples() const { return times_.size(); }
  /// Whether it holds as much as a chunk may: in samples, changes, or cells over all samples.
  [[nodiscard]] bool full() const;
  [[nodiscard]] int64_t first_realtime_ns() const { return times_.front().clock.realtime_ns; }
  [[nodiscard]] int64_t last_realtime_ns() const { return times_.back().clock.realtime_ns; }
  [[nodiscard]] int64_t first_monotonic_ns() const { return times_.front().clock.monotonic_ns; }
  [[nodiscard]] const Clocks& last_clock() const { return times_.back().clock; }
  /// The bytes of the chunk. The builder is empty afterwards.
  [[nodiscard]] std::string finish();

 private:
  struct Group;
  struct Time {
    uint64_t number;
    Clocks clock;
    int64_t late_ns;
  };
  std::shared_ptr<const RecordedSchema> schema_;
  std::vector<Time> times_;
  std::vector<std::string> texts_;
  std::vector<uint32_t> texts_per_sample_;
  std::vector<std::unique_ptr<Group>> groups_;  ///< by table; null where the chunk has none of it
  size_t changes_ = 0;                          ///< since the first sample, which is whole
  size_t cells_ = 0;
  void add_table(const TableDelta& delta, uint32_t sample);
  [[nodiscard]] std::string times_group() const;
  [[nodiscard]] std::string texts_group() const;
};

/// What the header of a chunk says.
struct ChunkInfo {
  uint64_t first_number = 0;
  uint32_t samples = 0;
  uint32_t groups = 0;
  uint32_t body = 0;  ///< bytes after the header
  int64_t first_realtime_ns = 0;
  int64_t last_realtime_ns = 0;
};

/// Reads the header alone; its checksum is checked by decode_chunk.
[[nodiscard]] Result<ChunkInfo> read_chunk_header(std::string_view bytes);

/// The deltas of a whole chunk, with only the selected tables in them. A group that is damaged
/// makes the whole chunk fail: half of a sample would be a wrong sample.
[[nodiscard]] Result<std::vector<SampleDelta>> decode_chunk(std::string_view bytes,
                                                            const RecordedSchema& schema,
                                                            const Selection& selection);

/// Compresses; `level` as zstd's.
[[nodiscard]] std::string compress(std::string_view plain, int level = 3);
/// Fails where the bytes are damaged or do not give exactly `plain_size` bytes, or where that is
/// more than `most`.
[[nodiscard]] Result<std::string> decompress(std::string_view bytes, size_t plain_size,
                                             size_t most);

}  // namespace tacho
