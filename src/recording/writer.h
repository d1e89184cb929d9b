// Writes a recording into a folder that it owns while it lives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "recording/chunk.h"
#include "recording/delta.h"
#include "sample/sample.h"

namespace tacho {

/// What may be kept. Enforced at every chunk, oldest segment first.
struct Retention {
  uint64_t max_bytes = uint64_t{1} << 30;
  int64_t max_age_ns = 0;  ///< 0: no limit
  /// Free space of the file system that recording leaves to others.
  uint64_t min_free_bytes = uint64_t{64} << 20;
};

struct WriterOptions {
  Retention retention;
  int64_t interval_ns = 10 * kSecond;  ///< decides how often is synced
  bool group_readable = false;         ///< for a system-wide recording: its group may read
};

/// Each sample is appended at once; every few minutes the tail becomes a chunk of a segment. What
/// append() acknowledged survives the end of the process, however it ends, and, once synced, that
/// of the machine. Not thread-safe.
class Writer {
 public:
  /// Makes the folder where it is missing; takes over what an earlier recorder left. Fails with
  /// busy where another recorder has it, too_new where it is of a later format.
  [[nodiscard]] static Result<std::unique_ptr<Writer>> open(const std::string& folder,
                                                            const WriterOptions& options);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Numbers the sample (its own number is not used) and writes it. On failure (a full disk, say)
  /// the sample is lost, and the recording stays whole: go on with the next one.
  Result<void> append(const Sample& sample);
  /// Turns the tail into a chunk. The writer is not to be used afterwards.
  Result<void> close();

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] uint64_t bytes_written() const { return bytes_written_; }
  [[nodiscard]] uint64_t samples() const { return samples_; }
  /// Of the last sample that append() acknowledged; 0 where there is none yet.
  [[nodiscard]] uint64_t last_number() const { return last_number_; }
  /// What happened to the recording since the last call: torn ends cut, segments dropped. One line
  /// each.
  [[nodiscard]] std::vector<std::string> take_notes();

 private:
  Writer(std::string folder, const WriterOptions& options);
  Result<void> take_lock();
  Result<void> recover();
  Result<void> recover_tail(const std::string& name);
  /// Numbers go on behind what the segment holds.
  void number_after(const std::string& segment);
  /// Whether the sample stands in a chunk already: the recorder was killed between writing that
  /// and removing the tail.
  [[nodiscard]] bool stands_in_chunk(uint64_t number) const;
  /// Whether the folder was removed or replaced under us: what is written goes nowhere then.
  [[nodiscard]] bool vanished() const;
  Result<void> make_anew();
  Result<void> begin_tail(uint64_t number);
  Result<void> write_frame(const std::string& frame);
  Result<void> close_chunk();
  Result<void> append_chunk(const std::string& chunk, uint64_t first_number, int64_t first_ns,
                            int64_t last_ns, size_t samples,
                            const std::shared_ptr<const RecordedSchema>& schema);
  Result<void> begin_segment(uint64_t first_number, int64_t realtime_ns);
  void enforce_retention(int64_t now_ns);
  /// Removes the oldest segment that is not being written; false where there is none.
  bool drop_oldest(const std::string& why);
  /// Makes room on a full file system, at the cost of the oldest there is; false where nothing is
  /// left to drop.
  bool drop_for_space();
  void remove_segment(const std::string& segment);
  [[nodiscard]] uint64_t largest_segment() const;
  [[nodiscard]] bool chunk_due(const Sample& sample) const;
  [[nodiscard]] mode_t mode() const { return options_.group_readable ? 0640 : 0600; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
  WriterOptions options_;
  Fd lock_;
  std::shared_ptr<const RecordedSchema> schema_;
  Differ differ_;
  ChunkBuilder builder_;
  Fd tail_;
  std::string tail_name_;
  uint64_t tail_bytes_ = 0;
  std::string segment_;
  std::string segment_day_;
  Fd segment_fd_;
  Fd index_fd_;
  uint64_t segment_bytes_ = 0;
  uint64_t next_number_ = 1;
  uint64_t last_number_ = 0;
  uint64_t samples_ = 0;
  uint64_t bytes_written_ = 0;
  int64_t synced_ns_ = 0;
  bool unsafe_ = false;  ///< the last sync failed
  std::vector<std::string> notes_;
};

}  // namespace tacho
