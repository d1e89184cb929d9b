#include "collect/slow_reader.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"

namespace tacho {
namespace {

constexpr int64_t kHangsAfter = 5 * kSecond;

}  // namespace

struct SlowReader::State {
  std::unique_ptr<Reader> reader;
  std::shared_ptr<Machine> machine;
  std::mutex mutex;
  std::condition_variable changed;
  bool wanted = false;
  bool busy = false;
  bool ending = false;
  Clocks clock;
  uint64_t sample = 0;
  std::shared_ptr<Rows> done;
  std::thread thread;

  void run(const std::shared_ptr<State>& keep_alive);
  std::shared_ptr<Rows> read_once(Buffer& buffer);
};

std::shared_ptr<Rows> SlowReader::State::read_once(Buffer& buffer) {
  // A pool for each reading: it goes to the sampling thread with the rows, while this one reads on.
  auto rows = std::make_shared<Rows>(layout_of(reader->table()), std::make_shared<TextPool>());
  Collecting collecting{*machine, buffer, clock, sample, nullptr};
  int64_t before = thread_cpu_ns();
  rows->read_ns = monotonic_ns();
  auto outcome = reader->read(collecting, *rows);
  rows->cost_ns = thread_cpu_ns() - before;
  if (!outcome) {
    rows->clear();
    rows->absent = absent_of(outcome.error());
  }
  return rows;
}

void SlowReader::State::run(const std::shared_ptr<State>& keep_alive) {
  std::shared_ptr<State> self = keep_alive;
  Buffer buffer;
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return wanted || ending; });
    if (ending) return;
    wanted = false;
    lock.unlock();
    auto rows = read_once(buffer);
    lock.lock();
    done = std::move(rows);
    busy = false;
    changed.notify_all();
  }
}

SlowReader::SlowReader(std::unique_ptr<Reader> reader, std::shared_ptr<Machine> machine,
                       Cadence cadence)
    : state_(std::make_shared<State>()), cadence_(cadence) {
  state_->reader = std::move(reader);
  state_->machine = std::move(machine);
}

SlowReader::~SlowReader() {
  bool hangs = false;
  {
    std::lock_guard lock(state_->mutex);
    state_->ending = true;
    hangs = state_->busy;
  }
  state_->changed.notify_all();
  if (!state_->thread.joinable()) return;
  if (hangs) {
    state_->thread.detach();
  } else {
    state_->thread.join();
  }
}

TableId SlowReader::table() const {
  return state_->reader->table();
}

void SlowReader::request(const Clocks& clock, uint64_t sample) {
  // A little early counts as due: an interval of 5 s is met by samples 4.999 s apart.
  int64_t every = cadence_.seconds * kSecond - 50 * kMillisecond;
  if (ever_ && clock.monotonic_ns - requested_ns_ < every) return;
  {
    std::lock_guard lock(state_->mutex);
    if (state_->busy) return;
    state_->busy = true;
    state_->wanted = true;
    state_->clock = clock;
    state_->sample = sample;
  }
  // The thread starts with the first request: a command that reads one table has one thread.
  if (!state_->thread.joinable()) {
    state_->thread = std::thread([state = state_] { state->run(state); });
  }
  state_->changed.notify_all();
  requested_ns_ = clock.monotonic_ns;
  reported_hang_ = false;
  ever_ = true;
}

std::shared_ptr<Rows> SlowReader::take(int64_t now_ns) {
  std::lock_guard lock(state_->mutex);
  if (state_->done) return std::move(state_->done);
  if (!state_->busy || reported_hang_ || now_ns - requested_ns_ < kHangsAfter) return nullptr;
  reported_hang_ = true;
  auto rows =
      std::make_shared<Rows>(layout_of(state_->reader->table()), std::make_shared<TextPool>());
  rows->read_ns = now_ns;
  rows->absent = Absent::timed_out;
  return rows;
}

void SlowReader::wait(int64_t deadline_ns) {
  std::unique_lock lock(state_->mutex);
  auto left = std::chrono::nanoseconds(deadline_ns - monotonic_ns());
  if (left.count() <= 0) return;
  state_->changed.wait_for(lock, left, [&] { return !state_->busy; });
}

}  // namespace tacho
