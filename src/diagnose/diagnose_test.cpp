// Each rule with a machine on which it holds, and one on which it nearly does.
#include <gtest/gtest.h>

#include <algorithm>

#include "diagnose/scenario_test.h"

namespace tacho {
namespace {

bool finds(const Diagnosis& d, std::string_view cause) {
  return std::ranges::any_of(d.findings, [&](const Finding& f) { return f.cause == cause; });
}
const Check& check(const Diagnosis& d, std::string_view id) {
  for (const Step& step : d.steps) {
    for (const Check& c : step.checks) {
      if (c.id == id) return c;
    }
  }
  throw std::runtime_error("no such check");
}

constexpr int64_t kBegin = 1'700'001'000 * kSecond;

Scenario hogged() {
  Scenario s;
  s.busy = 100;
  s.cpu_pressure = 90;
  s.workers = {{10, "train", "alice", 60, 40, 1},
               {20, "hog", "bob", 70, 30, 0},
               {21, "hog", "bob", 70, 30, 0}};
  return s;
}

TEST(CpuHog, IsNamedWithItsUserAndSinceWhen) {
  Scenario s = hogged();
  s.active = [](int window) { return window >= 1; };
  Diagnosis d = s.diagnosis();
  EXPECT_EQ(d.cause, "cpu.hog");
  ASSERT_TRUE(d.culprit);
  EXPECT_EQ(d.culprit->name, "hog");
  EXPECT_EQ(d.culprit->user, "bob");
  EXPECT_EQ(d.since_ns, kBegin + kSecond);
  EXPECT_FALSE(finds(d, "cpu.saturated")) << "the hog explains it";
}

TEST(CpuHog, IsNamedOnAMachineWhereNothingIsWatched) {
  Scenario s = hogged();
  for (Worker& worker : s.workers)
    worker.watched = -1;
  Diagnosis d = s.diagnosis();
  EXPECT_EQ(d.cause, "cpu.hog");
  EXPECT_EQ(d.culprit->name, "hog");
}

TEST(CpuHog, OneBusyLoopBesideAFreeCpuIsNoFinding) {
  Scenario s;
  s.busy = 50;
  s.cpu_pressure = 1;
  s.workers = {{20, "loop", "bob", 100, 0.2}};
  Diagnosis d = s.diagnosis();
  EXPECT_TRUE(d.findings.empty());
  EXPECT_EQ(d.cause, "unknown");
}

TEST(CpuHog, BusyLoopsForWhichNobodyWaitsAreNone) {
  Scenario s;
  s.busy = 100;
  s.cpu_pressure = 2;
  s.workers = {
      {20, "loop", "bob", 100, 0.5}, {21, "loop", "bob", 100, 0.5}, {30, "sshd", "root", 0.1, 0.1}};
  EXPECT_FALSE(finds(s.diagnosis(), "cpu.hog"));
}

TEST(CpuHog, AMomentIsNotPersistent) {
  Scenario s = hogged();
  s.active = [](int window) { return window < 2; };
  EXPECT_FALSE(finds(s.diagnosis(), "cpu.hog"));
}

TEST(CpuQuota, IsNamedByTheGroupThatIsStopped) {
  Scenario s;
  s.busy = 16;
  s.periods = 10;
  s.throttled = 9;
  s.workers = {{10, "train", "alice", 30, 85, 1}};
  Diagnosis d = s.diagnosis();
  EXPECT_EQ(d.cause, "cpu.quota");
  EXPECT_EQ(d.culprit->name, "/job");
}

TEST(CpuQuota, AQuotaThatHardlyStopsIsNone) {
  Scenario s;
  s.periods = 100;
  s.throttled = 5;
  EXPECT_FALSE(finds(s.diagnosis(), "cpu.quota"));
}

TEST(CpuAffinity, IsNamedWhereCpusAreIdle) {
  Scenario s;
  s.busy = 50;
  s.cpu_pressure = 98;
  s.workers = {{10, "train", "alice", 50, 50, 1, 1}, {11, "train", "alice", 50, 50, 1, 1}};
  Diagnosis d = s.diagnosis();
  EXPECT_EQ(d.cause, "cpu.affinity");
  s.busy = 100;
  EXPECT_FALSE(finds(s.diagnosis(), "cpu.affinity"))
      << "no CPU is idle: the mask keeps from nothing";
}

TEST(CpuOversubscribed, IsAProgramThatWaitsForItself) {
  Scenario s;
  s.busy = 100;
  s.cpu_pressure = 100;
  for (uint64_t pid = 10; pid < 26; ++pid)
    s.workers.push_back({pid, "train", "alice", 12.5, 87.5, 1});
  EXPECT_EQ(s.diagnosis().cause, "cpu.oversubscribed");
  s.workers.resize(2);
  for (Worker& worker : s.workers)
    worker.cpu = 100, worker.wait = 1;
  EXPECT_FALSE(finds(s.diagnosis(), "cpu.oversubscribed"));
}

TEST(CpuSaturated, WantsBusyCpusAndTasksThatWait) {
  Scenario s;
  s.busy = 99;
  s.cpu_pressure = 40;
  s.workers = {{10, "train", "alice", 100, 12, 1}, {11, "train", "alice", 98, 12, 1}};
  EXPECT_EQ(s.diagnosis().cause, "cpu.saturated");
  s.cpu_pressure = 3;
  EXPECT_FALSE(finds(s.diagnosis(), "cpu.saturated"));
}

/// The evidence of the first finding that is worded so; nothing where there is none.
std::optional<Message> evidence(const Diagnosis& d, std::string_view beginning) {
  for (const Message& message : d.findings.at(0).evidence) {
    if (message.id.starts_with(beginning)) return message;
  }
  return std::nullopt;
}

TEST(CpuSaturated, NamesWhoUsesThem) {
  Scenario s;
  s.busy = 99;
  s.cpu_pressure = 40;
  s.workers = {{10, "train", "alice", 150, 12, 1}, {11, "sshd", "root", 40, 12, 0}};
  auto most = evidence(s.diagnosis(), "most of it by");
  ASSERT_TRUE(most);
  EXPECT_EQ(most->args, (std::vector<std::string>{"train", "10", "alice", "150"}));
}

TEST(CpuSaturated, SaysWhereTheUsersCannotBeSeen) {
  Scenario s;
  s.busy = 99;
  s.cpu_pressure = 40;
  s.workers = {{10, "tacho", "root", 2, 0, 0}};
  Diagnosis d = s.diagnosis();
  EXPECT_FALSE(evidence(d, "most of it by"));
  EXPECT_FALSE(evidence(d, "the largest part by"));
  auto elsewhere = evidence(d, "the processes that can be seen from here");
  ASSERT_TRUE(elsewhere);
  EXPECT_EQ(elsewhere->args, (std::vector<std::string>{"0.02", "1.98"}));
}

TEST(CpuSystem, IsKernelTimeAboveItsThreshold) {
  Scenario s;
  s.busy = 5;
  s.system = 90;
  EXPECT_EQ(s.diagnosis().cause, "cpu.system");
  s.system = 29;
  EXPECT_FALSE(finds(s.diagnosis(), "cpu.system"));
}

TEST(DiskLatency, WantsSlowRequestsAQueueAndTasksThatWait) {
  Scenario s;  // 200 reads/s of 18 KiB, 12.4 ms each, 2.5 outstanding
  s.reads = 200;
  s.read_sectors = 200 * 36;
  s.read_ms = 200 * 12;
  s.queue_ms = 2500;
  s.io_pressure = 96;
  Diagnosis d = s.diagnosis();
  EXPECT_EQ(d.cause, "disk.latency");
  EXPECT_NEAR(*check(d, "disk.await").value, 12, 0.01);
  EXPECT_EQ(check(d, "disk.await").level, Level::warning);
  s.io_pressure = 5;
  EXPECT_FALSE(finds(s.diagnosis(), "disk.latency")) << "nobody waits";
}

TEST(DiskSmallFiles, WantsManySmallReads) {
  Scenario s;  // 1,000 reads/s of 11 KiB, 1.9 ms each
  s.reads = 1000;
  s.read_sectors = 22'000;
  s.read_ms = 1900;
  s.queue_ms = 1900;
  s.io_pressure = 81;
  EXPECT_EQ(s.diagnosis().cause, "disk.small_files");
  s.read_sectors = 1000 * 2560;
  EXPECT_FALSE(finds(s.diagnosis(), "disk.small_files")) << "large reads";
}

TEST(DiskFull, NamesTheFileSystem) {
  Scenario s;
  s.full_mount = "/data";
  s.full_share = 99.9;
  Diagnosis d = s.diagnosis();
  EXPECT_EQ(d.cause, "disk.full");
  EXPECT_EQ(d.culprit->name, "/data");
  s.full_share = 97;
  EXPECT_FALSE(finds(s.diagnosis(), "disk.full"));
}

TEST(MemoryShm, NamesDevShm) {
  Scenario s;
  s.full_mount = "/dev/shm";
  s.full_share = 90;
  EXPECT_EQ(s.diagnosis().cause, "memory.shm");
  s.full_share = 80;
  EXPECT_FALSE(finds(s.diagnosis(), "memory.shm"));
}

TEST(MemorySwap, WantsPagesThatAreReadBackAndStayed) {
  Scenario s;
  s.swap_in = 13'800;
  EXPECT_EQ(s.diagnosis().cause, "memory.swap");
  s.active = [](int window) { return window == 2; };
  EXPECT_FALSE(finds(s.diagnosis(), "memory.swap")) << "once is a moment";
}

TEST(MemoryPressure, IsTheTimeTasksWaitForMemory) {
  Scenario s;
  s.memory_pressure = 28;
  EXPECT_EQ(s.diagnosis().cause, "memory.pressure");
  s.memory_pressure = 2;
  EXPECT_FALSE(finds(s.diagnosis(), "memory.pressure"));
}

TEST(MemoryOom, OneKillIsEnough) {
  Scenario s;
  s.oom_kills = 1;
  s.active = [](int window) { return window == 3; };
  EXPECT_EQ(s.diagnosis().cause, "memory.oom");
  s.oom_kills = 0;
  EXPECT_FALSE(finds(s.diagnosis(), "memory.oom"));
}

TEST(NetLinkSpeed, ComparesWithWhatTheInterfaceSupports) {
  Scenario s;
  s.speed = 100;
  Diagnosis d = s.diagnosis();
  ASSERT_TRUE(finds(d, "net.link_speed"));
  EXPECT_EQ(d.findings.front().culprit->name, "eth0");
  s.speed = 1000;
  EXPECT_FALSE(finds(s.diagnosis(), "net.link_speed"));
}

TEST(NetQueues, AreThoseThatStay) {
  Scenario s;
  s.recv_queue = 127'480;
  EXPECT_FALSE(finds(s.diagnosis(), "net.send_queue"));
  EXPECT_TRUE(finds(s.diagnosis(), "net.recv_queue"));
  s.active = [](int window) { return window % 2 == 0; };
  EXPECT_FALSE(finds(s.diagnosis(), "net.recv_queue")) << "it is emptied now and then";
  Scenario sending;
  sending.send_queue = 1'400'000;
  EXPECT_TRUE(finds(sending.diagnosis(), "net.send_queue"));
}

TEST(NetPorts, AreHeldByTimeWait) {
  Scenario s;
  s.time_wait = 27'612;
  EXPECT_EQ(s.diagnosis().cause, "net.ports");
  s.time_wait = 15'000;
  EXPECT_FALSE(finds(s.diagnosis(), "net.ports"));
}

TEST(Verdict, AnIdleMachineIsHealthy) {
  Diagnosis d = Scenario{}.diagnosis();
  EXPECT_EQ(d.cause, "healthy.idle");
  EXPECT_TRUE(d.findings.empty());
}

TEST(Verdict, SaysUnknownRatherThanGuess) {
  Scenario s;
  s.busy = 40;
  EXPECT_EQ(s.diagnosis().cause, "unknown");
  EXPECT_EQ(diagnose(Span{}, Thresholds{}).cause, "unknown");
}

TEST(Verdict, MemoryStandsBeforeDisk) {
  Scenario s;  // swapping looks like a slow disk
  s.swap_in = 5000;
  s.reads = 5000;
  s.read_sectors = 5000 * 8;
  s.read_ms = 5000 * 12;
  s.queue_ms = 9000;
  s.io_pressure = 90;
  EXPECT_EQ(s.diagnosis().cause, "memory.swap");
}

TEST(Steps, StandInTheirOrderAlsoWhereNothingCanBeMeasured) {
  for (const Diagnosis& d : {Scenario{}.diagnosis(), diagnose(Span{}, Thresholds{})}) {
    std::vector<std::string_view> names;
    for (const Step& step : d.steps)
      names.push_back(step.name);
    EXPECT_EQ(names, (std::vector<std::string_view>{"gpu", "cpu", "disk", "memory", "network"}));
    EXPECT_EQ(check(d, "gpu.util").value.absent, Absent::not_recorded);
    EXPECT_EQ(check(d, "gpu.util").level, Level::unknown);
  }
  EXPECT_FALSE(diagnose(Span{}, Thresholds{}).unmeasured.empty());
}

TEST(Thresholds, EachHasOneName) {
  std::vector<std::string_view> names;
  for (const ThresholdName& known : threshold_names())
    names.push_back(known.name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace tacho
