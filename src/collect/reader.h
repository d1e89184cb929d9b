// A Reader fills the rows of one or more tables from the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine.h"
#include "sample/sample.h"

namespace tacho {

struct Collecting;

/// The reason that goes into a cell, or a table, when reading it failed so.
[[nodiscard]] Absent absent_of(const Error& error);

/// A file that several readers want: read once per sample, so that all of them see one moment.
class SharedFile {
 public:
  explicit SharedFile(std::string path) : file_(std::move(path)) {}
  /// The text stays as it is until the next sample.
  const Result<std::string_view>& read(Collecting& collecting);

 private:
  KeptFile file_;
  std::string text_;
  Result<std::string_view> result_ = fail(Errc::not_found, "never read");
  uint64_t sample_ = 0;
};
using SharedFilePtr = std::shared_ptr<SharedFile>;

/// What the readers of one sample share.
///
/// Texts: ids belong to a pool, and pools are replaced from time to time. A reader may take text
/// cells over from `previous` rows where those have the same pool as the rows it fills (the
/// collector sees to it that they do on the sampling thread); it must not keep ids anywhere else.
struct Collecting {
  Machine& machine;
  Buffer& buffer;
  Clocks clock;                      ///< of this sample
  uint64_t sample = 0;               ///< counts up by one
  const Sample* previous = nullptr;  ///< the sample before, or null; always null on slow threads
};

/// One per table (or per group of tables that one pass over a source gives). Called only when the
/// table is due, always from one thread: the sampling thread, or, where `slow()`, a thread of its
/// own, so that what it waits for never delays a sample.
class Reader {
 public:
  virtual ~Reader() = default;
  [[nodiscard]] virtual TableId table() const = 0;
  /// True for a source that may block or take long (statfs, link settings, sockets by the
  /// thousand).
  [[nodiscard]] virtual bool slow() const { return false; }
  /// Fills empty `rows`. An error makes the whole table absent, with its reason; what fails within
  /// a row is a cell's reason.
  virtual Result<void> read(Collecting& collecting, Rows& rows) = 0;
};

using Readers = std::vector<std::unique_ptr<Reader>>;

}  // namespace tacho
