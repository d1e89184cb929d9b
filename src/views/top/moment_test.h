// For the tests of top: a machine at a moment, made by hand, and the page it gives.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "base/text.h"
#include "schema/cpu.h"
#include "schema/host.h"
#include "schema/memory.h"
#include "schema/process.h"
#include "schema/system.h"
#include "views/top/top.h"

namespace tacho::top_test {

/// A process or thread as a test has it; times in clock ticks, memory in KiB.
struct Task {
  uint64_t pid;
  uint64_t start;
  std::string command;
  uint64_t ticks = 0;
  std::string state = "S";
  std::string user = "root";
  uint64_t uid = 0;
  uint64_t resident = 1024;
  uint64_t threads = 1;
  std::string command_line{};
};

/// The machine at a moment after boot: two CPUs, 8 GiB, nothing running but what is put in.
class Moment {
 public:
  explicit Moment(double seconds) : sample_(std::make_shared<Sample>()) {
    auto ns = static_cast<int64_t>(seconds * 1e9);
    sample_->clock = {1'700'000'000 * kSecond + ns, ns, ns};
    Rows& host = table(TableId::host);
    host.append();
    host.set(0, schema::host["users"], 1);
    host.set(0, schema::host["pid_max"], 32768);
    Rows& system = table(TableId::system);
    system.append();
    system.set(0, schema::system["load_1"], 150);
    system.set(0, schema::system["load_5"], 75);
    system.set(0, schema::system["load_15"], 5);
    Rows& memory = table(TableId::memory);
    memory.append();
    for (auto [column, kib] : {std::pair{schema::memory["total"], 8388608U},
                               {schema::memory["free"], 1048576U},
                               {schema::memory["available"], 6291456U},
                               {schema::memory["buffers"], 102400U},
                               {schema::memory["cached"], 2048000U},
                               {schema::memory["sreclaimable"], 51200U},
                               {schema::memory["swap_total"], 2097152U},
                               {schema::memory["swap_free"], 2095104U}}) {
      memory.set(0, column, kib);
    }
    table(TableId::cpu);
    table(TableId::process);
  }

  /// In ticks: user, system, idle, iowait, steal, guest.
  Moment& cpu(const std::string& name, std::array<uint64_t, 6> ticks) {
    Rows& rows = *tables_.at(TableId::cpu);
    size_t row = rows.append();
    rows.set_text(row, schema::cpu["cpu"], name);
    for (Column zero : {schema::cpu["nice"], schema::cpu["irq"], schema::cpu["softirq"],
                        schema::cpu["guest_nice"]}) {
      rows.set(row, zero, 0);
    }
    size_t at = 0;
    for (Column column : {schema::cpu["user"], schema::cpu["system"], schema::cpu["idle"],
                          schema::cpu["iowait"], schema::cpu["steal"], schema::cpu["guest"]}) {
      rows.set(row, column, ticks.at(at++));
    }
    return *this;
  }
  Moment& add(const Task& task) {
    Rows& rows = *tables_.at(TableId::process);
    size_t row = rows.append();
    for (auto [column, value] : {std::pair{schema::process["pid"], task.pid},
                                 {schema::process["start"], task.start},
                                 {schema::process["user_time"], task.ticks},
                                 {schema::process["system_time"], uint64_t{0}},
                                 {schema::process["children_user_time"], uint64_t{1000}},
                                 {schema::process["children_system_time"], uint64_t{0}},
                                 {schema::process["uid"], task.uid},
                                 {schema::process["real_uid"], uint64_t{7}},
                                 {schema::process["priority"], uint64_t{20}},
                                 {schema::process["nice"], uint64_t{0}},
                                 {schema::process["threads"], task.threads},
                                 {schema::process["virtual"], task.resident * 4096},
                                 {schema::process["resident"], task.resident},
                                 {schema::process["shared"], uint64_t{512}}}) {
      rows.set(row, column, value);
    }
    rows.set_text(row, schema::process["command"], task.command);
    rows.set_text(row, schema::process["command_line"], task.command_line);
    rows.set_text(row, schema::process["state"], task.state);
    rows.set_text(row, schema::process["user"], task.user);
    return *this;
  }
  Moment& add_thread(uint64_t pid, uint64_t tid, const std::string& command, uint64_t ticks) {
    if (!tables_.contains(TableId::thread)) table(TableId::thread);
    Rows& rows = *tables_.at(TableId::thread);
    size_t row = rows.append();
    rows.set(row, schema::thread["pid"], pid);
    rows.set(row, schema::thread["tid"], tid);
    rows.set(row, schema::thread["start"], 100);
    rows.set(row, schema::thread["user_time"], ticks);
    rows.set(row, schema::thread["system_time"], 0);
    rows.set_text(row, schema::thread["command"], command);
    rows.set_text(row, schema::thread["state"], "R");
    return *this;
  }
  [[nodiscard]] const std::shared_ptr<Sample>& sample() const { return sample_; }
  Rows& rows(TableId id) { return *tables_.at(id); }

 private:
  static const TextPoolPtr& pool() {
    static const TextPoolPtr shared = std::make_shared<TextPool>();
    return shared;
  }
  Rows& table(TableId id) {
    auto rows = std::make_shared<Rows>(layout_of(id), pool());
    rows->read_ns = sample_->clock.monotonic_ns;
    sample_->put(id, rows);
    tables_[id] = rows;
    return *rows;
  }
  std::shared_ptr<Sample> sample_;
  std::map<TableId, std::shared_ptr<Rows>> tables_;
};

inline std::vector<std::string> page_lines(const Window& window, const TopOptions& options = {}) {
  std::vector<std::string> lines;
  std::string page = top_page(window, options);
  for (std::string_view line : split(page, '\n'))
    lines.emplace_back(line);
  EXPECT_EQ(lines.back(), "") << "the last line ends too";
  lines.pop_back();
  return lines;
}
/// The lines of tasks.
inline std::vector<std::string> tasks(const Window& window, const TopOptions& options = {}) {
  auto lines = page_lines(window, options);
  size_t head = 0;
  while (head < lines.size() && !lines[head].empty())
    ++head;
  return {lines.begin() + static_cast<long>(std::min(head + 2, lines.size())), lines.end()};
}

}  // namespace tacho::top_test
