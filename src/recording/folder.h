// What lies in a recording's folder: segments with their indexes, and tails.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "recording/schema_block.h"
#include "sample/cursor.h"

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

/// Names, oldest first.
struct FolderList {
  std::vector<std::string> segments;
  std::vector<std::string> tails;
};

/// The name of the file that says "this is a recording", and of which format.
inline constexpr const char* kMarkFile = "format";

[[nodiscard]] Result<FolderList> list_folder(const std::string& folder);
/// Fails with too_new for a later format, not_found where there is no recording.
[[nodiscard]] Result<void> check_format(const std::string& folder);
[[nodiscard]] Result<void> write_format(const std::string& folder, mode_t mode);

/// The header of a segment or tail: `magic`, then the compressed schema.
/// Of this build's schema.
[[nodiscard]] std::string file_header(uint32_t magic);
/// Of a schema that was read: a segment made from the tail of another build.
[[nodiscard]] std::string file_header(uint32_t magic, const RecordedSchema& schema);
struct OpenedFile {
  std::string bytes;  ///< of the whole file
  std::shared_ptr<const RecordedSchema> schema;
  size_t body = 0;  ///< where its frames or chunks begin
};
/// Parses the header in `bytes`; `path` is for the error.
[[nodiscard]] Result<OpenedFile> parse_file(std::string bytes, uint32_t magic,
                                            const std::string& path);
/// Reads only the header of a file and gives its schema and where its body begins.
[[nodiscard]] Result<OpenedFile> open_header(const std::string& path, uint32_t magic);

[[nodiscard]] std::string encode_index_entry(const IndexEntry& entry);
/// The index beside the segment; made anew from the segment's chunks where it is missing, short, or
/// does not match its checksums. Damaged stretches of the segment are added to `gaps`.
[[nodiscard]] Result<std::vector<IndexEntry>> load_index(const std::string& folder,
                                                         const std::string& segment,
                                                         std::vector<Gap>* gaps);
/// Walks a segment chunk by chunk; after damage it goes on at the next chunk that is whole.
[[nodiscard]] Result<std::vector<IndexEntry>> scan_segment(const std::string& path,
                                                           std::vector<Gap>* gaps);
/// `length` bytes at `offset`.
[[nodiscard]] Result<std::string> read_at(const std::string& path, uint64_t offset, size_t length);

/// "x.seg" → "x.idx".
[[nodiscard]] std::string index_name(std::string_view segment);
/// The number in a segment's or tail's name.
[[nodiscard]] std::optional<uint64_t> first_number_of(std::string_view name);

}  // namespace tacho
