// One way to read samples, the same over a recording and over the machine.
//
//   auto cursor = open(…, Selection{TableId::cpu, TableId::system});
//   auto sample = cursor->at(t);                       // the last sample at or before t
//   while (sample && *sample) sample = cursor->next(); // null: none there (yet)
#pragma once

#include <vector>

#include "base/result.h"
#include "sample/gap.h"
#include "sample/sample.h"

namespace tacho {

/// A null SamplePtr means that there is no such sample; an Error, that reading failed for good.
/// A cursor serves one thread. Samples it gave stay valid after it is gone.
class Cursor {
 public:
  virtual ~Cursor() = default;

  virtual Result<SamplePtr> first() = 0;
  virtual Result<SamplePtr> last() = 0;
  /// The last sample at or before `realtime_ns`; the first one where all are later; null where
  /// there are none. Over a live machine: the present sample.
  virtual Result<SamplePtr> at(int64_t realtime_ns) = 0;
  /// The sample after (before) the one given last. A recorded cursor gives null at the end and,
  /// asked again, the samples that were appended since. A live cursor waits until the next one is
  /// due; it has no previous().
  virtual Result<SamplePtr> next() = 0;
  virtual Result<SamplePtr> previous() = 0;
  /// What was found missing or damaged so far: by listing the recording, and by walking over it.
  [[nodiscard]] virtual std::vector<Gap> gaps() const { return {}; }
};

}  // namespace tacho
