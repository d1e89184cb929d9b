// Writes a small recording of an invented machine, the same each time: make_recording DIR. What the
// recordings beside this file were made with; how a new one is added: docs/recording-format.md.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "recording/writer.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/host.h"
#include "schema/memory.h"
#include "schema/process.h"
#include "schema/recorder.h"

namespace {

using namespace tacho;

/// Two CPUs, two disks one of which is unplugged, a training with a pid that is used twice.
class InventedMachine {
 public:
  SamplePtr next() {
    ++count_;
    pass(kSecond, kSecond);
    auto sample = std::make_shared<Sample>();
    for (size_t i = 0; before_ && i < kTableCount; ++i) {
      auto id = static_cast<TableId>(i);
      sample->carry(id, before_->rows_ptr(id));
    }
    sample->clock = now_;
    sample->late_ns = static_cast<int64_t>(count_ % 7) * 1000;
    if (count_ == 1) sample->put(TableId::host, host());
    sample->put(TableId::cpu, cpus());
    sample->put(TableId::memory, memory());
    if (count_ % 5 == 1) sample->put(TableId::disk, disks());
    sample->put(TableId::process, processes());
    sample->put(TableId::event, events());
    sample->put(TableId::recorder, recorder());
    before_ = sample;
    return sample;
  }
  void suspend(int64_t ns) { pass(ns, 0); }
  void go_on_without_samples(int64_t ns) { pass(ns, ns); }

 private:
  void pass(int64_t ns, int64_t awake_ns) {
    now_.realtime_ns += ns;
    now_.boottime_ns += ns;
    now_.monotonic_ns += awake_ns;
  }
  std::shared_ptr<Rows> rows(TableId id) {
    auto made = std::make_shared<Rows>(layout_of(id), pool_);
    made->read_ns = now_.monotonic_ns + 2'000'000;
    made->cost_ns = 50'000;
    return made;
  }
  std::shared_ptr<Rows> host() {
    auto made = rows(TableId::host);
    made->append();
    made->set_text(0, schema::host["name"], "invented");
    made->set_text(0, schema::host["boot_id"], "3f1c0a52-0000-4000-8000-000000000001");
    made->set(0, schema::host["cpus"], 2);
    return made;
  }
  std::shared_ptr<Rows> cpus() {
    auto made = rows(TableId::cpu);
    for (uint64_t cpu = 0; cpu < 3; ++cpu) {
      size_t row = made->append();
      made->set_text(row, schema::cpu["cpu"], cpu == 0 ? "cpu" : fmt::format("cpu{}", cpu - 1));
      made->set(row, schema::cpu["user"], count_ * 60 + cpu);
      made->set(row, schema::cpu["system"], count_ * count_);
      made->set(row, schema::cpu["idle"], count_ * 40);
      made->set_absent(row, schema::cpu["steal"], Absent::not_supported);
    }
    return made;
  }
  std::shared_ptr<Rows> memory() {
    auto made = rows(TableId::memory);
    made->append();
    made->set(0, schema::memory["total"], 16'000'000);
    made->set(0, schema::memory["free"], 9'000'000 - count_ * 1000);
    return made;
  }
  std::shared_ptr<Rows> disks() {
    auto made = rows(TableId::disk);
    if (count_ == 41) {
      made->absent = Absent::timed_out;
      return made;
    }
    for (const char* device : {"sda", "sdb"}) {
      if (device[2] == 'b' && count_ > 20 && count_ < 45) continue;  // unplugged, and back
      size_t row = made->append();
      made->set_text(row, schema::disk["device"], device);
      made->set(row, schema::disk["reads"], device[2] == 'a' ? count_ * 1000 : count_);
      made->set(row, schema::disk["read_time"], 0xffffff00U + count_);  // about to wrap
    }
    return made;
  }
  std::shared_ptr<Rows> processes() {
    auto made = rows(TableId::process);
    auto add = [&](uint64_t pid, uint64_t start, const char* command, uint64_t time) {
      size_t row = made->append();
      made->set(row, schema::process["pid"], pid);
      made->set(row, schema::process["start"], start);
      made->set_text(row, schema::process["command"], command);
      made->set(row, schema::process["user_time"], time);
      made->set(row, schema::process["nice"], static_cast<uint64_t>(-5));
      made->set_absent(row, schema::process["read_bytes"], Absent::no_permission);
    };
    add(1, 3, "init", 7);
    if (count_ <= 25) add(4242, 100'500, "train.py", count_ * 90);
    if (count_ > 28) add(4242, 103'000, "eval.py", (count_ - 28) * 50);
    for (uint64_t worker = 0; worker < 4; ++worker) {
      if ((count_ / 10 + worker) % 3 == 0) continue;
      add(5000 + worker, 100'600 + worker, "loader\n\xe8\xae\xad\xe7\xbb\x83", count_ * worker);
    }
    return made;
  }
  std::shared_ptr<Rows> events() {
    auto made = rows(TableId::event);
    if (count_ != 12 && count_ != 60) return made;
    made->append();
    made->set(0, schema::event["sequence"], count_);
    made->set(0, schema::event["time"], static_cast<uint64_t>(now_.realtime_ns / 1000));
    made->set_text(0, schema::event["kind"], count_ == 12 ? "mark" : "oom_kill");
    made->set_text(0, schema::event["detail"], count_ == 12 ? "epoch 3 begins" : "train.py");
    return made;
  }
  std::shared_ptr<Rows> recorder() {
    auto made = rows(TableId::recorder);
    made->append();
    made->set(0, schema::recorder["interval"], 1'000'000);
    made->set(0, schema::recorder["cpu_time"], count_ * 700);
    return made;
  }

  uint64_t count_ = 0;
  Clocks now_{1'800'000'000 * kSecond, 1000 * kSecond, 1000 * kSecond};
  TextPoolPtr pool_ = std::make_shared<TextPool>();
  SamplePtr before_;
};

/// As a recorder writes them that is killed at the end.
bool record(const std::string& folder, InventedMachine& machine, int samples) {
  WriterOptions options;
  options.interval_ns = kSecond;
  auto out = Writer::open(folder, options);
  for (int i = 0; out && i < samples; ++i) {
    if (!(*out)->append(*machine.next())) return false;
  }
  return out.has_value();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_recording DIR\n", stderr);
    return 2;
  }
  std::string folder = argv[1];
  InventedMachine machine;
  WriterOptions options;
  options.interval_ns = kSecond;
  bool done = false;
  if (auto out = Writer::open(folder, options)) {
    for (int i = 0; i < 30; ++i)
      done = (*out)->append(*machine.next()).has_value();
    machine.suspend(100 * kSecond);  // ends a chunk
    for (int i = 0; i < 20; ++i)
      done = done && (*out)->append(*machine.next());
  }
  machine.go_on_without_samples(600 * kSecond);
  done = done && record(folder, machine, 15);  // takes over the tail of the one before
  unlink((folder + "/lock").c_str());
  return done ? 0 : 1;
}
