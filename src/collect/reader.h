// A Reader fills the rows of one or more tables from the machine.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine.h"
#include "sample/sample.h"

namespace tacho {

/// The reason that goes into a cell, or a table, when reading it failed so.
[[nodiscard]] Absent absent_of(const Error& error);

/// What the readers of one sample share. Lives as long as its Collector.
struct Collecting {
  Machine& machine;
  Buffer& buffer;
  Clocks clock;            ///< of this sample
  const Sample* previous;  ///< the sample before, or null
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
