#include "cli/classic/feed.h"

#include <ctime>

#include "cli/folder.h"
#include "collect/live_cursor.h"
#include "recording/reader.h"

namespace tacho::cli {
namespace {

/// As long as top's own: what is shorter shows hardly anything in clock ticks of 10 ms.
constexpr int64_t kPriming = kSecond / 5;
/// A recorder's sample is a good beginning for the first window while it is not much older than
/// what is to come.
constexpr int64_t kOldestBeginning = 15 * kSecond;

struct Recorded {
  std::unique_ptr<Cursor> cursor;
  Range range;
};

Result<Recorded> open_range(const ClassicOptions& options, const Selection& selection) {
  std::string folder = folder_to_read(options.dir);
  auto held = describe_recording(folder);
  if (!held) return tl::unexpected(held.error());
  RangeWords words = options.range;
  if (options.at) words.from = words.to = options.at;
  auto range = parse_range(words, realtime_ns(), {held->from_ns, held->to_ns});
  if (!range) return tl::unexpected(range.error());
  auto cursor = open_recording(folder, selection);
  if (!cursor) return tl::unexpected(cursor.error());
  return Recorded{std::move(*cursor), *range};
}

/// The last sample of a recorder that runs; null where none does. Its absence is no failure.
SamplePtr recorders_last(const Selection& selection) {
  auto cursor = open_recording(folder_to_read(std::nullopt), selection);
  auto last = cursor ? (*cursor)->last() : Result<SamplePtr>{SamplePtr{}};
  if (!last || !*last) return {};
  Clocks now = Clocks::now();
  int64_t age = now.monotonic_ns - (*last)->clock.monotonic_ns;
  // Another boot's clocks say nothing about this one's.
  bool same_clock = std::abs(now.realtime_ns - (*last)->clock.realtime_ns - age) < kSecond / 10;
  return same_clock && age >= kPriming && age <= kOldestBeginning ? *last : SamplePtr{};
}

}  // namespace

struct WindowFeed::State {
  FeedOptions wanted;
  std::unique_ptr<Cursor> cursor;
  std::optional<Range> range;  ///< of a recording
  bool live = false;
  SamplePtr before;
  bool started = false;
  Begun begun = Begun::previous;

  [[nodiscard]] bool stopped() const { return wanted.stop != nullptr && *wanted.stop; }
  Result<SamplePtr> wait_for_next();
  Result<std::optional<Window>> first_of_machine();
  Result<std::optional<Window>> first_of_recording();
  Result<std::optional<Window>> next_of_recording();
};

WindowFeed::WindowFeed(std::unique_ptr<State> state) : state_(std::move(state)) {}
WindowFeed::~WindowFeed() = default;
WindowFeed::WindowFeed(WindowFeed&&) noexcept = default;

const char* name(Begun begun) {
  switch (begun) {
    case Begun::boot:
      return "boot";
    case Begun::recorder:
      return "recorder";
    case Begun::primed:
      return "primed";
    case Begun::previous:
      return "previous";
    case Begun::recording:
      break;
  }
  return "recording";
}

Begun WindowFeed::begun() const {
  return state_->begun;
}

Result<WindowFeed> WindowFeed::open(const ClassicOptions& options, const FeedOptions& wanted) {
  auto state = std::make_unique<State>();
  state->wanted = wanted;
  if (options.recorded()) {
    auto recorded = open_range(options, wanted.selection);
    if (!recorded) return tl::unexpected(recorded.error());
    state->cursor = std::move(recorded->cursor);
    state->range = recorded->range;
    return WindowFeed(std::move(state));
  }
  auto machine = options.machine();
  if (!machine) return tl::unexpected(machine.error());
  state->live = (*machine)->is_live();
  int64_t interval = wanted.delay_ns > 0 ? wanted.delay_ns : kSecond;
  auto cursor = open_live(*machine, wanted.selection, interval, wanted.collector);
  if (!cursor) return tl::unexpected(cursor.error());
  state->cursor = std::move(*cursor);
  return WindowFeed(std::move(state));
}

Result<std::optional<Window>> WindowFeed::next() {
  State& s = *state_;
  if (!s.started) {
    s.started = true;
    return s.range ? s.first_of_recording() : s.first_of_machine();
  }
  if (s.range) return s.next_of_recording();
  s.begun = Begun::previous;
  auto sample = s.wait_for_next();
  if (!sample) return tl::unexpected(sample.error());
  if (!*sample) return std::nullopt;
  return Window(std::exchange(s.before, *sample), *sample);
}

/// A signal that was none to stop interrupts nothing but the waiting.
Result<SamplePtr> WindowFeed::State::wait_for_next() {
  for (;;) {
    auto sample = cursor->next();
    if (stopped()) return SamplePtr{};
    if (sample || sample.error().code != Errc::busy) return sample;
  }
}

Result<std::optional<Window>> WindowFeed::State::first_of_machine() {
  SamplePtr beginning;
  if (wanted.first == First::primed && live) beginning = recorders_last(wanted.selection);
  begun = beginning ? Begun::recorder : Begun::primed;
  auto sample = cursor->first();
  if (!sample) return tl::unexpected(sample.error());
  before = *sample;
  if (wanted.first == First::since_boot) {
    begun = Begun::boot;
    return Window::since_boot(before);
  }
  if (beginning) return Window(beginning, before);
  if (live) {
    timespec priming{0, kPriming};
    nanosleep(&priming, nullptr);
    sample = cursor->first();
  } else {
    sample = cursor->next();
  }
  if (!sample) return tl::unexpected(sample.error());
  if (stopped()) return std::nullopt;
  if (!*sample) {  // a single folder: nothing else to begin at
    begun = Begun::boot;
    return Window::since_boot(before);
  }
  return Window(std::exchange(before, *sample), *sample);
}

Result<std::optional<Window>> WindowFeed::State::first_of_recording() {
  auto sample = cursor->at(range->from_ns);
  if (!sample) return tl::unexpected(sample.error());
  SamplePtr first = *sample;
  if (!first) return std::nullopt;
  auto earlier = wanted.delay_ns > 0 ? cursor->at(first->clock.realtime_ns - wanted.delay_ns)
                                     : cursor->previous();
  if (!earlier) return tl::unexpected(earlier.error());
  before = first;
  begun = Begun::recording;
  if (*earlier && (*earlier)->number < first->number) {
    auto again = cursor->at(range->from_ns);  // where the next ones follow
    if (!again) return tl::unexpected(again.error());
    return Window(*earlier, first);
  }
  // Nothing before: the first window is the one that begins there.
  auto again = cursor->at(range->from_ns);
  if (!again) return tl::unexpected(again.error());
  auto window = next_of_recording();
  if (window && !*window && range->from_ns == range->to_ns) {
    begun = Begun::boot;
    return Window::since_boot(first);
  }
  return window;
}

Result<std::optional<Window>> WindowFeed::State::next_of_recording() {
  begun = Begun::recording;
  for (;;) {
    auto sample = cursor->next();
    if (!sample) return tl::unexpected(sample.error());
    if (!*sample || (*sample)->clock.realtime_ns > range->to_ns || stopped()) return std::nullopt;
    int64_t passed = (*sample)->clock.monotonic_ns - before->clock.monotonic_ns;
    // A sample that came a little early still is the one of its step. After another boot the clock
    // begins anew.
    if (passed >= wanted.delay_ns - wanted.delay_ns / 10 || passed < 0) {
      return Window(std::exchange(before, *sample), *sample);
    }
  }
}

Result<SamplePtr> one_sample(const ClassicOptions& options, const Selection& selection,
                             const CollectorOptions& collector) {
  if (options.recorded()) {
    auto recorded = open_range(options, selection);
    if (!recorded) return tl::unexpected(recorded.error());
    auto sample = recorded->cursor->at(recorded->range.to_ns);
    if (sample && !*sample) return fail(Errc::not_found, "the recording holds no samples");
    return sample;
  }
  auto machine = options.machine();
  if (!machine) return tl::unexpected(machine.error());
  auto cursor = open_live(*machine, selection, kSecond, collector);
  if (!cursor) return tl::unexpected(cursor.error());
  return (*cursor)->first();
}

}  // namespace tacho::cli
