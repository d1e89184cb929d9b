// Recording: collect, append, and serve the control socket until the next sample is due.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/collector.h"
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
};

class RecorderLoop {
 public:
  /// Opens the recording and its control socket; nothing is sampled yet.
  [[nodiscard]] static Result<std::unique_ptr<RecorderLoop>> open(std::shared_ptr<Machine> machine,
                                                                  const RecorderOptions& options);
  ~RecorderLoop();

  /// Samples until `stop` says so, the duration is over or the control socket asks. `on_first` is
  /// called when the first sample is safe; `say` gets one line for whatever a person should know.
  Result<void> run(const std::function<bool()>& stop, const std::function<void()>& on_first,
                   const std::function<void(const std::string&)>& say);

 private:
  RecorderLoop(std::shared_ptr<Machine> machine, const RecorderOptions& options);
  void take_sample(const std::function<void(const std::string&)>& say);
  std::string answer(const std::string& request, bool writer);
  std::string status() const;

  RecorderOptions options_;
  std::vector<Protection> protections_;
  SelfCounters counters_;
  std::unique_ptr<Writer> writer_;
  Collector collector_;
  std::unique_ptr<ControlServer> control_;
  Schedule schedule_;
  int64_t started_ns_ = 0;
  int64_t started_cpu_ns_ = 0;
  SamplePtr last_;
  std::string last_error_;
  std::vector<std::string> notes_;
  bool asked_to_stop_ = false;
};

}  // namespace tacho
