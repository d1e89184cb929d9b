// Reads the machine: at each call one Sample of the tables that are selected and due.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "collect/reader.h"
#include "collect/socket_options.h"
#include "host/machine.h"
#include "sample/sample.h"

namespace tacho {

class CostLedger;
class EventLog;
class SlowReader;
class WatchList;

struct CollectorOptions {
  /// How long the first collect() may wait for the tables that are read on threads of their own, so
  /// that a command which shows one sample has them too. The recorder does not wait.
  int64_t first_wait_ns = 0;
  /// The table thread holds the threads of every process, not of the watched tree alone.
  bool all_threads = false;
  SocketOptions sockets;
};

/// Tables on the sampling thread are read in the call; slow ones on threads of their own, and their
/// rows go into the sample that comes next. Over a rooted machine everything is read in the call
/// and always due. Not thread-safe.
class Collector {
 public:
  Collector(std::shared_ptr<Machine> machine, const Selection& selection,
            const CollectorOptions& options = {});
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// Never fails: what cannot be read is absent, with its reason. `late_ns` is kept in the sample.
  SamplePtr collect(int64_t late_ns = 0);

  /// A further reader, for a table that only its owner can fill (the recorder's own cost).
  void add(std::unique_ptr<Reader> reader);

  [[nodiscard]] Machine& machine() { return *machine_; }
  /// Which processes are the watched tree; may be changed from any thread.
  [[nodiscard]] WatchList& watch_list() { return *watch_list_; }
  /// What others (marks, the recorder) have to say; goes into the next sample. Any thread.
  [[nodiscard]] EventLog& event_log() { return *event_log_; }

 private:
  struct Slot;
  void read(Slot& slot, Collecting& collecting, Sample& sample);
  void take_slow(Sample& sample);
  void wait_for_slow();
  void renew_pool();
  std::shared_ptr<Rows> spare(Slot& slot);

  std::shared_ptr<Machine> machine_;
  Selection selection_;
  CollectorOptions options_;
  std::shared_ptr<WatchList> watch_list_;
  std::shared_ptr<EventLog> event_log_;
  std::shared_ptr<CostLedger> costs_;
  Buffer buffer_;
  TextPoolPtr pool_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::unique_ptr<SlowReader>> slow_;
  std::shared_ptr<Sample> previous_;
  uint64_t samples_ = 0;
};

}  // namespace tacho
