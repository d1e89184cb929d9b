// Samples of an invented machine whose processes, disks and texts come and go, for the tests here.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sample/sample.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/host.h"
#include "schema/process.h"
#include "schema/recorder.h"

namespace tacho {

class RandomMachine {
 public:
  explicit RandomMachine(unsigned seed, size_t processes = 12)
      : random_(seed), target_(processes), pool_(std::make_shared<TextPool>()) {}

  SamplePtr next() {
    auto sample = last_ ? std::make_shared<Sample>(carried()) : std::make_shared<Sample>();
    ++count_;
    now_ns_ += kSecond + static_cast<int64_t>(random_() % 1000) * 1000;
    sample->number = count_;
    sample->clock = {1'700'000'000 * kSecond + now_ns_, now_ns_, now_ns_ + 5};
    sample->late_ns = static_cast<int64_t>(random_() % 1000);
    if (random_() % 40 == 0) pool_ = std::make_shared<TextPool>();
    sample->put(TableId::cpu, cpus());
    sample->put(TableId::process, processes());
    if (count_ % 5 == 1) sample->put(TableId::disk, disks());  // a slower table
    if (random_() % 4 == 0) sample->put(TableId::event, events());
    if (random_() % 10 == 0) sample->put(TableId::host, absent_host());
    last_ = sample;
    return sample;
  }

 private:
  struct Process {
    uint64_t pid, start, user_time, resident;
    std::string command;
    bool io_allowed;
  };

  Sample carried() {
    Sample sample;
    for (size_t i = 0; i < kTableCount; ++i) {
      auto id = static_cast<TableId>(i);
      sample.carry(id, last_->rows_ptr(id));
    }
    return sample;
  }
  std::shared_ptr<Rows> rows(TableId id) {
    auto made = std::make_shared<Rows>(layout_of(id), pool_);
    made->read_ns = now_ns_ / 1000 * 1000;  // a recording keeps microseconds
    made->cost_ns = static_cast<int64_t>(random_() % 100) * 1000;
    return made;
  }
  RowsPtr cpus() {
    auto made = rows(TableId::cpu);
    size_t online = random_() % 8 == 0 ? 3 : 4;  // one goes off-line now and then
    for (size_t i = 0; i < online; ++i) {
      size_t row = made->append();
      made->set_text(row, schema::cpu["cpu"], "cpu" + std::to_string(i));
      cpu_time_ += random_() % 7;
      made->set(row, schema::cpu["user"], cpu_time_);
      made->set(row, schema::cpu["idle"], count_ * 100);
    }
    return made;
  }
  RowsPtr processes() {
    std::erase_if(processes_, [&](const Process&) { return random_() % 20 == 0; });
    while (processes_.size() < target_) {
      uint64_t pid = 1 + random_() % 400;
      processes_.push_back({pid, count_, 0, random_() % 5000, "p" + std::to_string(random_() % 9),
                            random_() % 2 == 0});
    }
    auto made = rows(TableId::process);
    for (Process& p : processes_) {
      size_t row = made->append();
      if (random_() % 3 == 0) p.user_time += random_() % 100;
      if (random_() % 9 == 0) p.resident = random_() % 100'000;
      if (random_() % 30 == 0) p.command = "exec" + std::to_string(random_() % 5);
      made->set(row, schema::process["pid"], p.pid);
      made->set(row, schema::process["start"], p.start);
      made->set_text(row, schema::process["command"], p.command);
      made->set(row, schema::process["user_time"], p.user_time);
      made->set(row, schema::process["resident"], p.resident);
      made->set(row, schema::process["nice"], static_cast<uint64_t>(-5));
      if (p.io_allowed && random_() % 10 != 0) {
        made->set(row, schema::process["read_bytes"], count_ * 4096);
      } else {
        made->set_absent(row, schema::process["read_bytes"], Absent::no_permission);
      }
    }
    return made;
  }
  RowsPtr disks() {
    auto made = rows(TableId::disk);
    if (random_() % 5 == 0) {
      made->absent = Absent::timed_out;
      return made;
    }
    size_t row = made->append();
    made->set_text(row, schema::disk["device"], "sda");
    made->set(row, schema::disk["reads"], random_());  // a 64-bit jump either way
    return made;
  }
  RowsPtr events() {
    auto made = rows(TableId::event);
    for (uint64_t i = random_() % 3; i > 0; --i) {
      size_t row = made->append();
      made->set(row, schema::event["sequence"], ++events_);
      made->set_text(row, schema::event["detail"], "event " + std::to_string(events_));
    }
    return made;
  }
  RowsPtr absent_host() {
    auto made = rows(TableId::host);
    made->absent = Absent::no_permission;
    return made;
  }

  std::mt19937_64 random_;
  size_t target_;
  TextPoolPtr pool_;
  SamplePtr last_;
  std::vector<Process> processes_;
  uint64_t count_ = 0;
  uint64_t cpu_time_ = 0;
  uint64_t events_ = 0;
  int64_t now_ns_ = 0;
};

/// A table's rows as text, in an order that does not depend on the rows'.
inline std::string as_text(const Rows& rows) {
  std::vector<std::string> lines;
  for (size_t row = 0; row < rows.size(); ++row) {
    std::string line;
    for (size_t c = 0; c < rows.width(); ++c) {
      Value v = rows.at(row, c);
      if (!v) {
        line += "(" + std::string(name(v.absent)) + ") ";
      } else if (rows.layout().columns[c].type == Type::text) {
        line += "'" + std::string(rows.pool().view(v.bits)) + "' ";
      } else {
        line += std::to_string(v.bits) + " ";
      }
    }
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  std::string text = rows.layout().name + " " + std::string(name(rows.absent)) + " read " +
                     std::to_string(rows.read_ns) + " cost " + std::to_string(rows.cost_ns) + "\n";
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

/// All that a sample holds but its number.
inline std::string as_text(const Sample& sample) {
  std::string text = std::to_string(sample.clock.realtime_ns) + " " +
                     std::to_string(sample.clock.monotonic_ns) + " " +
                     std::to_string(sample.clock.boottime_ns) + " late " +
                     std::to_string(sample.late_ns) + "\n";
  for (size_t i = 0; i < kTableCount; ++i) {
    auto id = static_cast<TableId>(i);
    const Rows* rows = sample.rows(id);
    if (rows == nullptr) continue;
    text += sample.fresh(id) ? "fresh " : "carried ";
    text += as_text(*rows);
  }
  return text;
}

}  // namespace tacho
