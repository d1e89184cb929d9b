// Invented machines for the tests of the rules: five windows of a second, the same in each but for
// what the test changes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "derive/span.h"
#include "diagnose/diagnosis.h"
#include "schema/cgroup.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/memory.h"
#include "schema/net.h"
#include "schema/process.h"
#include "schema/recorder.h"
#include "schema/system.h"

namespace tacho {

/// A process that uses `cpu` % of a CPU and waits `wait` % of the time for one.
struct Worker {
  uint64_t pid;
  std::string command;
  std::string user;
  double cpu;
  double wait;
  int watched = -1;  ///< -1: nothing is watched
  uint64_t allowed_cpus = 2;
};

/// Counters are given as growth per second.
struct Scenario {
  uint64_t cpus = 2;
  double busy = 5;          ///< % of all CPUs, in user mode
  double system = 0;        ///< % of all CPUs
  double cpu_pressure = 0;  ///< % of the time
  double io_pressure = 0;
  double memory_pressure = 0;
  std::vector<Worker> workers;
  uint64_t swap_in = 0;
  uint64_t oom_kills = 0;
  uint64_t reads = 0;
  uint64_t read_sectors = 0;
  uint64_t read_ms = 0;
  uint64_t queue_ms = 0;
  std::string full_mount;
  double full_share = 0;
  uint64_t periods = 0;
  uint64_t throttled = 0;
  uint64_t speed = 1000;
  uint64_t max_speed = 1000;
  uint64_t time_wait = 0;
  uint64_t recv_queue = 0;
  uint64_t send_queue = 0;
  /// In which of the five windows the counters above grow; elsewhere nothing does.
  std::function<bool(int)> active = [](int) { return true; };

  [[nodiscard]] Span span() const;
  [[nodiscard]] Diagnosis diagnosis() const { return diagnose(span(), Thresholds{}); }
};

class ScenarioSampler {
 public:
  explicit ScenarioSampler(const Scenario& scenario)
      : s_(scenario), pool_(std::make_shared<TextPool>()) {}

  SamplePtr next() {
    bool active = count_ > 0 && s_.active(count_ - 1);
    if (active) ++grown_;
    auto sample = std::make_shared<Sample>();
    now_ns_ = (1000 + count_) * kSecond;
    sample->number = static_cast<uint64_t>(++count_);
    sample->clock = {1'700'000'000 * kSecond + now_ns_, now_ns_, now_ns_};
    sample->put(TableId::cpu, cpu(active));
    sample->put(TableId::system, system());
    sample->put(TableId::memory, memory());
    sample->put(TableId::vm, vm());
    sample->put(TableId::pressure, pressure());
    sample->put(TableId::disk, disk());
    sample->put(TableId::filesystem, filesystem());
    sample->put(TableId::cgroup, cgroup());
    sample->put(TableId::net, net());
    sample->put(TableId::tcp, tcp());
    sample->put(TableId::socket, socket());
    sample->put(TableId::process, process());
    return sample;
  }

 private:
  std::shared_ptr<Rows> table(TableId id) {
    auto rows = std::make_shared<Rows>(layout_of(id), pool_);
    rows->read_ns = now_ns_;
    return rows;
  }
  RowsPtr cpu(bool active) {
    double user = active ? s_.busy : 0;
    double system = active ? s_.system : 0;
    user_ += static_cast<uint64_t>(user * 100);
    system_ += static_cast<uint64_t>(system * 100);
    idle_ += static_cast<uint64_t>((100 - user - system) * 100);
    auto rows = table(TableId::cpu);
    for (uint64_t i = 0; i <= s_.cpus; ++i) {
      size_t row = rows->append();
      for (size_t c = 1; c < rows->width(); ++c)
        rows->set(row, c, 0);
      rows->set_text(row, schema::cpu["cpu"], i == 0 ? "cpu" : "cpu" + std::to_string(i - 1));
      rows->set(row, schema::cpu["user"], user_);
      rows->set(row, schema::cpu["system"], system_);
      rows->set(row, schema::cpu["idle"], idle_);
    }
    return rows;
  }
  RowsPtr system() {
    auto rows = table(TableId::system);
    size_t row = rows->append();
    rows->set(row, schema::system["running"], 1);
    rows->set(row, schema::system["load_1"], 100);
    rows->set(row, schema::system["context_switches"], grown_ * 1000);
    return rows;
  }
  RowsPtr memory() {
    auto rows = table(TableId::memory);
    size_t row = rows->append();
    rows->set(row, schema::memory["total"], 1000);
    rows->set(row, schema::memory["available"], 600);
    return rows;
  }
  RowsPtr vm() {
    auto rows = table(TableId::vm);
    size_t row = rows->append();
    rows->set(row, schema::vm["swap_in"], grown_ * s_.swap_in);
    rows->set(row, schema::vm["swap_out"], 0);
    rows->set(row, schema::vm["oom_kills"], grown_ * s_.oom_kills);
    return rows;
  }
  RowsPtr pressure() {
    auto rows = table(TableId::pressure);
    size_t row = rows->append();
    auto us = [&](double share) {
      return static_cast<uint64_t>(static_cast<double>(grown_) * share * 10'000);
    };
    rows->set(row, schema::pressure["cpu_some"], us(s_.cpu_pressure));
    rows->set(row, schema::pressure["io_some"], us(s_.io_pressure));
    rows->set(row, schema::pressure["memory_some"], us(s_.memory_pressure));
    return rows;
  }
  RowsPtr disk() {
    auto rows = table(TableId::disk);
    size_t row = rows->append();
    for (size_t c = 0; c < rows->width(); ++c) {
      if (rows->layout().columns[c].kind == Kind::counter) rows->set(row, c, 0);
    }
    rows->set_text(row, schema::disk["device"], "sda");
    rows->set(row, schema::disk["reads"], grown_ * s_.reads);
    rows->set(row, schema::disk["read_bytes"], grown_ * s_.read_sectors);
    rows->set(row, schema::disk["read_time"], grown_ * s_.read_ms);
    rows->set(row, schema::disk["queue_time"], grown_ * s_.queue_ms);
    return rows;
  }
  RowsPtr filesystem() {
    auto rows = table(TableId::filesystem);
    size_t row = rows->append();
    rows->set_text(row, schema::filesystem["mount"], s_.full_mount.empty() ? "/" : s_.full_mount);
    auto free = static_cast<uint64_t>((100 - s_.full_share) * 10);
    rows->set(row, schema::filesystem["size"], 1000);
    rows->set(row, schema::filesystem["free"], free);
    rows->set(row, schema::filesystem["available"], free);
    rows->set(row, schema::filesystem["inodes"], 100);
    rows->set(row, schema::filesystem["inodes_free"], 90);
    return rows;
  }
  RowsPtr cgroup() {
    auto rows = table(TableId::cgroup);
    size_t row = rows->append();
    rows->set_text(row, schema::cgroup["path"], "/job");
    rows->set(row, schema::cgroup["periods"], grown_ * s_.periods);
    rows->set(row, schema::cgroup["throttled_periods"], grown_ * s_.throttled);
    rows->set(row, schema::cgroup["cpu_quota"], 30'000);
    rows->set(row, schema::cgroup["cpu_period"], 100'000);
    return rows;
  }
  RowsPtr net() {
    auto rows = table(TableId::net);
    size_t row = rows->append();
    rows->set_text(row, schema::net["device"], "eth0");
    rows->set(row, schema::net["rx_bytes"], 0);
    rows->set(row, schema::net["tx_bytes"], 0);
    rows->set(row, schema::net["speed"], s_.speed);
    rows->set(row, schema::net["max_speed"], s_.max_speed);
    return rows;
  }
  RowsPtr tcp() {
    auto rows = table(TableId::tcp);
    size_t row = rows->append();
    rows->set(row, schema::tcp["time_wait"], s_.time_wait);
    rows->set(row, schema::tcp["port_first"], 32768);
    rows->set(row, schema::tcp["port_last"], 60999);
    rows->set(row, schema::tcp["retransmits"], 0);
    rows->set(row, schema::tcp["out_segments"], grown_ * 1000);
    return rows;
  }
  RowsPtr socket() {
    auto rows = table(TableId::socket);
    bool active = count_ > 1 && s_.active(count_ - 2);
    size_t row = rows->append();
    rows->set_text(row, schema::socket["protocol"], "tcp");
    rows->set_text(row, schema::socket["local_address"], "10.0.0.1");
    rows->set(row, schema::socket["local_port"], 5000);
    rows->set_text(row, schema::socket["remote_address"], "10.0.0.2");
    rows->set(row, schema::socket["remote_port"], 6000);
    rows->set(row, schema::socket["inode"], 1);
    rows->set_text(row, schema::socket["state"], "ESTABLISHED");
    rows->set(row, schema::socket["recv_queue"], active ? s_.recv_queue : 0);
    rows->set(row, schema::socket["send_queue"], active ? s_.send_queue : 0);
    return rows;
  }
  RowsPtr process() {
    auto rows = table(TableId::process);
    for (const Worker& worker : s_.workers) {
      size_t row = rows->append();
      rows->set(row, schema::process["pid"], worker.pid);
      rows->set(row, schema::process["start"], 100);
      rows->set_text(row, schema::process["command"], worker.command);
      rows->set_text(row, schema::process["user"], worker.user);
      rows->set(row, schema::process["user_time"],
                static_cast<uint64_t>(static_cast<double>(grown_) * worker.cpu));
      rows->set(row, schema::process["system_time"], 0);
      rows->set(row, schema::process["run_delay"],
                static_cast<uint64_t>(static_cast<double>(grown_) * worker.wait * 1e7));
      rows->set(row, schema::process["allowed_cpus"], worker.allowed_cpus);
      if (worker.watched < 0) {
        rows->set_absent(row, schema::process["watched"], Absent::not_applicable);
      } else {
        rows->set(row, schema::process["watched"], static_cast<uint64_t>(worker.watched));
      }
    }
    return rows;
  }

  const Scenario& s_;
  TextPoolPtr pool_;
  int count_ = 0;
  uint64_t grown_ = 0;
  uint64_t user_ = 0;
  uint64_t system_ = 0;
  uint64_t idle_ = 0;
  int64_t now_ns_ = 0;
};

inline Span Scenario::span() const {
  ScenarioSampler sampler(*this);
  SpanBuilder builder(5 * kSecond);
  for (int i = 0; i < 6; ++i)
    builder.add(sampler.next());
  return builder.finish();
}

}  // namespace tacho
