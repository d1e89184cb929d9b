// The constants of the format on disk; docs/recording-format.md describes every byte. Shared by
// writer and reader. Values are stored: do not change, a new layout is a new version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tacho {

inline constexpr uint16_t kFormatVersion = 1;

inline constexpr uint32_t kSegmentMagic = 0x47455354;  // "TSEG"
inline constexpr uint32_t kTailMagic = 0x4c494154;     // "TAIL"
inline constexpr uint32_t kFrameMagic = 0x4d524654;    // "TFRM"
inline constexpr uint32_t kChunkMagic = 0x4b484354;    // "TCHK"

/// File header: magic u32, version u16, reserved u16, schema length u32, reserved u32, checksum u64
/// of the compressed schema, which follows.
inline constexpr size_t kFileHeader = 24;
/// Frame: magic u32, length of the payload u32, sample number u64, checksum u64 of number +
/// payload.
inline constexpr size_t kFrameHeader = 24;
/// Chunk: magic u32, length of all that follows the header u32, first sample number u64, samples
/// u32, groups u32, first and last REALTIME i64, checksum u64 of the header before it and the
/// directory behind it.
inline constexpr size_t kChunkHeader = 48;
/// Directory entry of a group: id u32, compressed length u32, plain length u32, reserved u32,
/// checksum u64 of the compressed bytes.
inline constexpr size_t kGroupEntry = 24;
/// Index entry: first REALTIME i64, offset u64, length u32, duration in ms u32, samples u32,
/// checksum u32 (low half of the XXH3 of the 28 bytes before).
inline constexpr size_t kIndexEntry = 32;

/// Group ids: a table's number in the schema of its file, or one of these.
inline constexpr uint32_t kTimesGroup = 0xffff0000;
inline constexpr uint32_t kTextsGroup = 0xffff0001;

/// When a tail becomes a chunk.
inline constexpr size_t kChunkSamples = 300;
inline constexpr int64_t kChunkTime = 600 * kSecond;
inline constexpr size_t kChunkBytes = 4 << 20;
inline constexpr size_t kChunkChanges = 200'000;  ///< after its first sample
inline constexpr size_t kChunkCells = 1 << 28;    ///< of all tables, over all samples

/// Nothing in a recording is larger; what claims to be is damage. So what a damaged or hostile
/// recording makes a reader allocate and do is bounded.
inline constexpr uint64_t kMaxPlain = 64 << 20;   ///< bytes of a frame, and of a group unpacked
inline constexpr uint64_t kMaxSchema = 4 << 20;   ///< bytes
inline constexpr uint64_t kMaxSamples = 1 << 12;  ///< of a chunk
inline constexpr uint64_t kMaxChanges = 1 << 23;  ///< cells of a sample, or changes of a chunk
/// Cells of a chunk's table over all samples that have it.
inline constexpr uint64_t kMaxCells = uint64_t{1} << 30;
inline constexpr uint64_t kMaxNumber = uint64_t{1} << 62;  ///< of a sample

/// Times lie between 1824 and 2116, so that the difference of two never overflows.
[[nodiscard]] constexpr bool is_time(int64_t ns) {
  constexpr int64_t kFarthest = int64_t{1} << 62;
  return ns > -kFarthest && ns < kFarthest;
}

[[nodiscard]] uint64_t checksum(std::string_view bytes, uint64_t seed = 0);

/// "000000001234-2026-12-01.seg" (and ".idx"), "tail-000000001234": numbered by the first sample,
/// so that names sort as samples do.
[[nodiscard]] std::string segment_name(uint64_t first_number, int64_t realtime_ns);
[[nodiscard]] std::string tail_name(uint64_t first_number);

}  // namespace tacho
