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

/// The table event: what was added to the log, and what the kernel has said since the last sample
/// (/dev/kmsg, from the moment the reader is made; not where that is not permitted).
[[nodiscard]] std::unique_ptr<Reader> make_event_reader(std::shared_ptr<EventLog> log);

/// What a kernel message means to tacho; an empty kind where nothing. Sources: mm/oom_kill.c,
/// kernel/watchdog.c, kernel/hung_task.c, block/blk-core.c, the NIC drivers' link messages, NVRM.
[[nodiscard]] Event classify_kernel_message(std::string_view message);

}  // namespace tacho
