#include "collect/event_log.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "collect/fact_changes.h"
#include "collect/kernel_message.h"
#include "host/kernel_log.h"
#include "schema/recorder.h"

namespace tacho {
namespace {

/// More in one interval than anybody will read.
constexpr size_t kMostWaiting = 1000;
/// Smaller steps are those of a clock that is kept right (NTP).
constexpr int64_t kClockStep = kSecond;

double seconds(int64_t ns) {
  return static_cast<double>(ns) / static_cast<double>(kSecond);
}

class EventReader : public Reader {
 public:
  explicit EventReader(std::shared_ptr<EventLog> log) : log_(std::move(log)) {}
  TableId table() const override { return TableId::event; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    std::vector<Event> events = log_->take();
    if (collecting.machine.is_live()) {
      read_kernel_log(collecting, events);
      compare_clocks(collecting.clock, events);
    }
    if (collecting.previous != nullptr) changes_.compare(*collecting.previous, events);
    for (const Event& event : events)
      fill(event, collecting.clock, rows);
    if (events.empty() && kernel_log_error_) return tl::unexpected(*kernel_log_error_);
    return {};
  }

 private:
  void fill(const Event& event, const Clocks& clock, Rows& rows) {
    size_t row = rows.append();
    int64_t when = event.realtime_ns != 0 ? event.realtime_ns : clock.realtime_ns;
    rows.set(row, schema::event["sequence"], ++sequence_);
    rows.set(row, schema::event["time"], static_cast<uint64_t>(when / 1000));
    rows.set_text(row, schema::event["kind"], event.kind);
    rows.set_text(row, schema::event["subject"], event.subject);
    rows.set_text(row, schema::event["detail"], event.detail);
    if (event.pid != 0) {
      rows.set(row, schema::event["pid"], event.pid);
    } else {
      rows.set_absent(row, schema::event["pid"], Absent::not_applicable);
    }
  }

  void read_kernel_log(Collecting& collecting, std::vector<Event>& events) {
    if (!kernel_log_ && !kernel_log_error_) {
      auto opened = KernelLog::open();
      if (opened) {
        kernel_log_ = std::move(*opened);
      } else {
        kernel_log_error_ = opened.error();
      }
    }
    if (!kernel_log_) return;
    // What does not fit is read with the next sample.
    for (size_t i = 0; i < kMostWaiting; ++i) {
      auto record = kernel_log_->next();
      if (!record) break;
      Event event = classify_kernel_message(record->message);
      if (event.kind.empty()) continue;
      int64_t ago =
          collecting.clock.monotonic_ns - static_cast<int64_t>(record->since_boot_us) * 1000;
      event.realtime_ns = collecting.clock.realtime_ns - ago;
      events.push_back(std::move(event));
    }
    if (uint64_t lost = kernel_log_->take_lost(); lost > 0) {
      events.push_back({"gap", "kernel log", fmt::format("{} messages were overwritten", lost)});
    }
  }

  /// BOOTTIME runs on during a suspend and MONOTONIC does not; REALTIME also follows who sets it.
  void compare_clocks(const Clocks& now, std::vector<Event>& events) {
    if (auto before = std::exchange(clocks_, now)) {
      int64_t monotonic = now.monotonic_ns - before->monotonic_ns;
      int64_t boottime = now.boottime_ns - before->boottime_ns;
      int64_t realtime = now.realtime_ns - before->realtime_ns;
      if (boottime - monotonic >= kClockStep) {
        events.push_back({"gap", "machine",
                          fmt::format("suspended for {:.1f} s", seconds(boottime - monotonic))});
      }
      if (std::abs(realtime - boottime) >= kClockStep) {
        events.push_back(
            {"change", "clock", fmt::format("set by {:+.1f} s", seconds(realtime - boottime))});
      }
    }
  }

  std::shared_ptr<EventLog> log_;
  std::optional<KernelLog> kernel_log_;
  std::optional<Error> kernel_log_error_;
  FactChanges changes_;
  std::optional<Clocks> clocks_;
  uint64_t sequence_ = 0;
};

}  // namespace

void EventLog::add(Event event) {
  std::lock_guard lock(mutex_);
  if (waiting_.size() < kMostWaiting) waiting_.push_back(std::move(event));
}

std::vector<Event> EventLog::take() {
  std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

bool EventLog::empty() const {
  std::lock_guard lock(mutex_);
  return waiting_.empty();
}

std::unique_ptr<Reader> make_event_reader(std::shared_ptr<EventLog> log) {
  return std::make_unique<EventReader>(std::move(log));
}

}  // namespace tacho
