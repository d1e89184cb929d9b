// Recording: collect, append, and serve the control socket until the next sample is due.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/collector.h"
#include "recorder/progress.h"
#include "recorder/protection.h"
#include "recorder/schedule.h"
#include "recorder/self_reader.h"
#include "recording/writer.h"

namespace tacho {

class ControlServer;

struct RecorderOptions {
  std::string folder;
  WriterOptions writer;
  int64_t duration_ns = 0;  ///< 0: until it is told to stop
  std::vector<uint64_t> watch_pids;
  std::vector<std::string> watch_cgroups;
  bool protect = true;
  bool own_session = false;  ///< nobody else is in this process's session
};

class RecorderLoop {
 public:
  /// Called from run(), between samples. Any of them but `say` may be missing.
  struct Hooks {
    std::function<bool()> stop;       ///< asked after every sample, request and signal
    std::function<void()> on_first;   ///< the first sample is safe
    std::function<void()> on_sample;  ///< after each sample, also one that could not be written
    /// One line for whatever a person should know.
    std::function<void(const std::string&)> say = [](const std::string&) {};
  };

  /// Opens the recording and its control socket; nothing is sampled yet.
  [[nodiscard]] static Result<std::unique_ptr<RecorderLoop>> open(std::shared_ptr<Machine> machine,
                                                                  const RecorderOptions& options);
  ~RecorderLoop();

  /// Samples until `stop` says so, the duration is over or the control socket asks (a machine of
  /// folders: once each, as fast as it can); takes a last sample then, and turns the tail into a
  /// chunk. Fails where not even the first sample can be written; later ones that cannot are
  /// counted, and it goes on. SIGTERM and SIGINT reach the caller's handlers only while it waits.
  Result<void> run(const Hooks& hooks);
  Result<void> run(std::function<bool()> stop, std::function<void()> on_first,
                   std::function<void(const std::string&)> say) {
    return run(Hooks{std::move(stop), std::move(on_first), nullptr, std::move(say)});
  }

  /// The answer to a request of the control socket (docs/control-socket.md).
  std::string answer(const std::string& request, bool writer);

 private:
  RecorderLoop(std::shared_ptr<Machine> machine, const RecorderOptions& options);
  void open_control();
  void take_sample(const Hooks& hooks);
  void sample_by_time(const Hooks& hooks, const std::function<bool()>& ends, int64_t end_ns);
  void wait_until(int64_t deadline_ns, const std::function<bool()>& ends);
  void keep_note(const std::string& note);
  [[nodiscard]] std::string status();

  RecorderOptions options_;
  std::shared_ptr<Machine> machine_;
  std::vector<Protection> protections_;
  SelfCounters counters_;
  Progress progress_;
  std::unique_ptr<Writer> writer_;
  Collector collector_;
  std::unique_ptr<ControlServer> control_;
  Schedule schedule_;
  int64_t started_ns_ = 0;
  int64_t started_cpu_ns_ = 0;
  SamplePtr last_;
  int64_t sampled_ns_ = 0;  ///< MONOTONIC, of the last sample
  std::string last_error_;
  std::vector<std::string> notes_;  ///< the latest, for status
  bool asked_to_stop_ = false;
};

}  // namespace tacho
