// Events on their way into the next sample: marks, notes of the recorder, kernel messages.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "collect/reader.h"

namespace tacho {

/// One happening; see the table event for the words.
struct Event {
  std::string kind;
  std::string subject;
  std::string detail;
  uint64_t pid = 0;         ///< 0: none
  int64_t realtime_ns = 0;  ///< 0: now
};

/// Takes events from any thread; each goes into exactly one sample.
class EventLog {
 public:
  void add(Event event);
  [[nodiscard]] std::vector<Event> take();
  [[nodiscard]] bool empty() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Event> waiting_;
};

/// The table event: what was added to the log; what the kernel has said since the last sample, from
/// the moment the reader is made; changes of facts and deaths in the watched tree (fact_changes.h),
/// one sample after they show; a suspend and a clock that was set.
///
/// Where the kernel's log may not be read the table is absent with the reason in every sample that
/// has no event from elsewhere.
[[nodiscard]] std::unique_ptr<Reader> make_event_reader(std::shared_ptr<EventLog> log);

}  // namespace tacho
