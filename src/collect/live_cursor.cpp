#include "collect/live_cursor.h"

#include <cerrno>
#include <ctime>

namespace tacho {
namespace {

class LiveCursor : public Cursor {
 public:
  LiveCursor(std::shared_ptr<Machine> machine, const Selection& selection, int64_t interval_ns,
             const CollectorOptions& options)
      : machine_(machine),
        collector_(std::move(machine), selection, options),
        interval_ns_(interval_ns) {}

  Result<SamplePtr> first() override { return present(); }
  Result<SamplePtr> last() override { return present(); }
  Result<SamplePtr> at(int64_t) override { return present(); }
  Result<SamplePtr> previous() override {
    return fail(Errc::not_supported, "a machine cannot be read backwards; name a recording");
  }

  Result<SamplePtr> next() override {
    if (!started_) return present();
    if (!machine_->is_live()) {
      if (!machine_->next_root()) return SamplePtr{};
      return collector_.collect();
    }
    int64_t now = monotonic_ns();
    due_ns_ += interval_ns_;
    // After a suspend, or when the reader was slower than the interval, go on from now.
    if (due_ns_ < now - interval_ns_) due_ns_ += (now - due_ns_) / interval_ns_ * interval_ns_;
    timespec until{due_ns_ / kSecond, due_ns_ % kSecond};
    if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
      due_ns_ -= interval_ns_;
      return fail(Errc::busy, "interrupted");
    }
    return collector_.collect(monotonic_ns() - due_ns_);
  }

 private:
  Result<SamplePtr> present() {
    if (!started_) due_ns_ = monotonic_ns();
    started_ = true;
    return collector_.collect();
  }

  std::shared_ptr<Machine> machine_;
  Collector collector_;
  int64_t interval_ns_;
  int64_t due_ns_ = 0;
  bool started_ = false;
};

}  // namespace

Result<std::unique_ptr<Cursor>> open_live(std::shared_ptr<Machine> machine,
                                          const Selection& selection, int64_t interval_ns,
                                          const CollectorOptions& options) {
  if (interval_ns <= 0) return fail(Errc::invalid, "the interval must be more than 0");
  return std::make_unique<LiveCursor>(std::move(machine), selection, interval_ns, options);
}

}  // namespace tacho
