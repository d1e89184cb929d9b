// The windows that a classic command prints, one after another: the same of the running machine, of
// one in folders (--root) and of a recording.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "cli/classic/options.h"
#include "collect/collector.h"
#include "derive/window.h"
#include "sample/cursor.h"

namespace tacho::cli {

/// What the first window of a machine is. Over a recording it is always the one before the range.
enum class First {
  since_boot,    ///< vmstat, iostat
  primed,        ///< top: since the running recorder's last sample, or a short one of its own
  primed_alone,  ///< the latter in any case: for what a recorder does not read
};

/// Where a window began; its name is what JSON has.
enum class Begun {
  boot,
  recorder,   ///< at the running recorder's last sample
  primed,     ///< at a sample taken only for that
  previous,   ///< where the window before it ended
  recording,  ///< at a sample of the recording
};
[[nodiscard]] const char* name(Begun begun);

struct FeedOptions {
  Selection selection;
  int64_t delay_ns = 0;  ///< between samples; 0: a second live, each sample of a recording
  First first = First::since_boot;
  CollectorOptions collector;
  /// Set by a signal handler: the feed ends at once.
  const std::atomic<bool>* stop = nullptr;
};

class WindowFeed {
 public:
  /// Fails where the recording or the folders cannot be read, or the range lies outside.
  [[nodiscard]] static Result<WindowFeed> open(const ClassicOptions& options,
                                               const FeedOptions& wanted);
  ~WindowFeed();
  WindowFeed(WindowFeed&&) noexcept;

  /// Waits until it is due. Nothing: the range, the folders or the recording are at their end, or
  /// `stop` was set.
  [[nodiscard]] Result<std::optional<Window>> next();
  /// Of the window that next() gave last.
  [[nodiscard]] Begun begun() const;

 private:
  struct State;
  explicit WindowFeed(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The one sample that a command which prints no rates shows: of the machine now, or of the
/// recording at --at, else at the end of the range.
[[nodiscard]] Result<SamplePtr> one_sample(const ClassicOptions& options,
                                           const Selection& selection,
                                           const CollectorOptions& collector = {});

}  // namespace tacho::cli
