#include "recorder/loop.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>

#include "collect/event_log.h"
#include "collect/tree.h"
#include "recorder/control.h"

namespace tacho {
namespace {

constexpr size_t kNotesKept = 20;

/// SIGTERM and SIGINT are blocked but for the time in which the loop waits, in all threads that are
/// started meanwhile too: such a signal ends the waiting, and nothing is overslept.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stops, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

RecorderLoop::RecorderLoop(std::shared_ptr<Machine> machine, const RecorderOptions& options)
    : options_(options),
      machine_(machine),
      protections_(options.protect ? protect_this_process(options.own_session)
                                   : std::vector<Protection>{}),
      collector_(std::move(machine), Selection::recorded()),
      schedule_(options.writer.interval_ns) {
  counters_.interval_ns = options.writer.interval_ns;
  collector_.add(make_self_reader(counters_));
  collector_.add(make_progress_reader(progress_));
  for (uint64_t pid : options.watch_pids)
    collector_.watch_list().add_pid(pid);
  for (const auto& group : options.watch_cgroups)
    collector_.watch_list().add_cgroup(group);
}

RecorderLoop::~RecorderLoop() = default;

Result<std::unique_ptr<RecorderLoop>> RecorderLoop::open(std::shared_ptr<Machine> machine,
                                                         const RecorderOptions& options) {
  auto writer = Writer::open(options.folder, options.writer);
  if (!writer) return tl::unexpected(writer.error());
  std::unique_ptr<RecorderLoop> loop(new RecorderLoop(std::move(machine), options));
  loop->writer_ = std::move(*writer);
  loop->open_control();
  return loop;
}

void RecorderLoop::open_control() {
  control_.reset();
  auto control = ControlServer::open(
      options_.folder, options_.writer.group_readable,
      [this](const std::string& request, bool writer) { return answer(request, writer); });
  // Recording matters more than being spoken to: a file system without sockets is no reason to
  // stop.
  if (control) {
    control_ = std::move(*control);
  } else {
    keep_note("no control socket: " + control.error().what);
  }
}

void RecorderLoop::keep_note(const std::string& note) {
  notes_.push_back(rfc3339(realtime_ns()) + " " + note);
  if (notes_.size() > kNotesKept) notes_.erase(notes_.begin());
}

void RecorderLoop::take_sample(const Hooks& hooks) {
  int64_t cpu_before = process_cpu_ns();
  Clocks now = Clocks::now();
  sampled_ns_ = now.monotonic_ns;
  Schedule::Tick tick = machine_->is_live() ? schedule_.begin(now) : Schedule::Tick{};
  counters_.late_ns = tick.late_ns;
  counters_.missed_samples += tick.missed;
  if (tick.late_ns > options_.writer.interval_ns / 10) ++counters_.late_samples;
  last_ = collector_.collect(tick.late_ns);
  auto appended = writer_->append(*last_);
  if (!appended) {
    ++counters_.write_errors;
    if (last_error_ != appended.error().what) {
      hooks.say("samples are lost: " + appended.error().what);
      keep_note("samples are lost: " + appended.error().what);
    }
    last_error_ = appended.error().what;
  } else if (!last_error_.empty()) {
    hooks.say("recording goes on");
    keep_note("recording goes on");
    last_error_.clear();
  }
  counters_.bytes_written = writer_->bytes_written();
  for (const std::string& note : writer_->take_notes()) {
    hooks.say(note);
    collector_.event_log().add({"gap", "recording", note, 0});
    keep_note(note);
  }
  // With its folder the socket goes too; the writer has made the folder anew.
  if (appended && control_ && !control_->reachable()) open_control();
  counters_.previous_cost_ns = process_cpu_ns() - cpu_before;
  if (hooks.on_sample) hooks.on_sample();
}

void RecorderLoop::wait_until(int64_t deadline_ns, const std::function<bool()>& ends) {
  if (control_) return control_->serve_until(deadline_ns, ends);
  sigset_t none;
  sigemptyset(&none);
  while (!ends() && monotonic_ns() < deadline_ns) {
    int64_t left_ns = std::max<int64_t>(deadline_ns - monotonic_ns(), 0);
    timespec left{left_ns / kSecond, left_ns % kSecond};
    ppoll(nullptr, 0, &left, &none);
  }
}

void RecorderLoop::sample_by_time(const Hooks& hooks, const std::function<bool()>& ends,
                                  int64_t end_ns) {
  while (!ends() && monotonic_ns() < end_ns) {
    wait_until(std::min(schedule_.due_ns(), end_ns), ends);
    if (!ends() && monotonic_ns() >= schedule_.due_ns()) take_sample(hooks);
  }
  // What happened since the last sample belongs into the recording too.
  bool worth_it = monotonic_ns() - sampled_ns_ >= options_.writer.interval_ns / 10;
  if (worth_it || !collector_.event_log().empty()) take_sample(hooks);
}

Result<void> RecorderLoop::run(const Hooks& hooks) {
  BlockedSignals blocked;
  started_ns_ = realtime_ns();
  int64_t begin = monotonic_ns();
  schedule_.start(Clocks::now());
  take_sample(hooks);
  if (!last_error_.empty()) return fail(Errc::io, "{}: {}", options_.folder, last_error_);
  started_cpu_ns_ = process_cpu_ns();
  if (hooks.on_first) hooks.on_first();
  auto ends = [&] { return asked_to_stop_ || (hooks.stop && hooks.stop()); };
  int64_t end = options_.duration_ns > 0 ? begin + options_.duration_ns : INT64_MAX;
  if (machine_->is_live()) {
    sample_by_time(hooks, ends, end);
  } else {
    while (!ends() && machine_->next_root())
      take_sample(hooks);
  }
  // What cannot become a chunk (the disk is full) stays in the tail, and is taken over later.
  if (auto closed = writer_->close(); !closed) hooks.say(closed.error().what);
  return {};
}

}  // namespace tacho
