// What lies in a recording's folder: its mark, segments and tails, and the headers of both.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "recording/schema_block.h"

namespace tacho {

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
/// Whether a recording may begin there: fails with invalid where somebody else keeps files.
[[nodiscard]] Result<void> check_may_begin(const std::string& folder);
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
[[nodiscard]] Result<OpenedFile> open_header(const Fd& fd, const std::string& path, uint32_t magic);
[[nodiscard]] Result<OpenedFile> open_header(const std::string& path, uint32_t magic);

/// `length` bytes at `offset`, fewer only at the end of the file; `path` is for the error.
[[nodiscard]] Result<std::string> read_at(const Fd& fd, const std::string& path, uint64_t offset,
                                          size_t length);
[[nodiscard]] Result<std::string> read_at(const std::string& path, uint64_t offset, size_t length);

/// "x.seg" → "x.idx".
[[nodiscard]] std::string index_name(std::string_view segment);
/// The number in a segment's or tail's name.
[[nodiscard]] std::optional<uint64_t> first_number_of(std::string_view name);

}  // namespace tacho
