// A tail: the frames of the samples since the last chunk, each appended with one write.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "recording/delta.h"

namespace tacho {

/// Reads the frames of a tail that may still grow. Follows the file by its descriptor, so that what
/// was opened can be read to its end also after the recorder has removed it.
class TailReader {
 public:
  [[nodiscard]] static Result<TailReader> open(const std::string& path);
  /// The next whole frame that matches its checksum; nothing where none stands (yet).
  [[nodiscard]] Result<std::unique_ptr<SampleDelta>> next();
  [[nodiscard]] const std::shared_ptr<const RecordedSchema>& schema() const { return schema_; }
  /// Bytes up to the last frame that was given.
  [[nodiscard]] uint64_t good_bytes() const { return offset_; }

 private:
  TailReader() = default;
  Fd fd_;
  std::shared_ptr<const RecordedSchema> schema_;
  std::string path_;
  uint64_t offset_ = 0;
};

/// The frame of a delta, header and payload.
[[nodiscard]] std::string encode_frame(const SampleDelta& delta, const RecordedSchema& schema);

}  // namespace tacho
