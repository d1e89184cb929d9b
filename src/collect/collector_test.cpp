#include "collect/collector.h"

#include <gtest/gtest.h>

#include <future>

#include "collect/live_cursor.h"
#include "collect/slow_reader.h"
#include "host/test_root.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/memory.h"
#include "schema/net.h"
#include "schema/system.h"

namespace tacho {
namespace {

TEST(Collector, ReadsTheClocksOfARootedMachine) {
  TestRoot root;
  root.write("proc/uptime", "1000.25 1900.00\n");
  root.write("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\nbtime 1700000000\nprocs_running 3\n");
  auto sample = Collector(root.machine(), {TableId::cpu, TableId::system}).collect();
  EXPECT_EQ(sample->clock.boottime_ns, 1'000'250 * kMillisecond);
  EXPECT_EQ(sample->clock.realtime_ns, 1'700'001'000'250 * kMillisecond);
  EXPECT_EQ(sample->rows(TableId::system)->at(0, schema::system["running"]).bits, 3U);
  EXPECT_EQ(sample->rows(TableId::memory), nullptr) << "not selected, not read";
}

TEST(Collector, KeepsOneRowPerCpuAlsoOn480OfThem) {
  TestRoot root;
  std::string stat = "cpu  480 0 0 0 0 0 0 0 0 0\n";
  for (int i = 0; i < 480; ++i)
    stat += fmt::format("cpu{} {} 0 1 2 3 4 5 6 7 8\n", i, 1000 + i);
  root.write("proc/stat", stat + "intr 1 2 3\n");
  auto sample = Collector(root.machine(), {TableId::cpu}).collect();
  const Rows& cpus = *sample->rows(TableId::cpu);
  ASSERT_EQ(cpus.size(), 481U);
  EXPECT_EQ(cpus.text(480, schema::cpu["cpu"]), "cpu479");
  EXPECT_EQ(cpus.at(480, schema::cpu["user"]).bits, 1479U);
}

TEST(Collector, AMissingFileMakesItsTableAbsentWithTheReason) {
  TestRoot root;
  root.write("proc/uptime", "1 1\n");
  auto sample =
      Collector(root.machine(), {TableId::pressure, TableId::disk, TableId::tcp}).collect();
  EXPECT_EQ(sample->rows(TableId::pressure)->absent, Absent::not_supported);
  EXPECT_EQ(sample->rows(TableId::disk)->absent, Absent::not_supported);
  EXPECT_TRUE(sample->rows(TableId::disk)->empty());
}

TEST(Collector, OneMissingSourceOfSeveralLeavesTheOthers) {
  TestRoot root;
  root.write("proc/pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=7\n");
  auto sample = Collector(root.machine(), {TableId::pressure}).collect();
  const Rows& pressure = *sample->rows(TableId::pressure);
  EXPECT_EQ(pressure.absent, Absent::no);
  EXPECT_EQ(pressure.at(0, schema::pressure["cpu_some"]).bits, 7U);
  EXPECT_EQ(pressure.at(0, schema::pressure["io_some"]).absent, Absent::not_supported);
}

TEST(Collector, TakesTheFactsOfADiskFromSysAndTheirAbsence) {
  TestRoot root;
  root.write("proc/diskstats",
             "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n104 0 cciss/c0d0 1 2 3 4 5 6 7 8 9 10 11\n");
  root.write("sys/class/block/sda/queue/rotational", "1\n");
  root.write("sys/class/block/cciss!c0d0/size", "2048\n");
  auto sample = Collector(root.machine(), {TableId::disk}).collect();
  const Rows& disks = *sample->rows(TableId::disk);
  EXPECT_EQ(disks.at(0, schema::disk["rotational"]).bits, 1U);
  EXPECT_EQ(disks.at(0, schema::disk["partition"]).absent, Absent::not_supported);
  EXPECT_EQ(disks.number(1, schema::disk["size"]).value, 1048576.0);
}

TEST(Collector, AnInterfaceNameMayTouchItsFirstNumber) {
  TestRoot root;
  root.write(
      "proc/net/dev",
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes\n"
      "  eth0:123 1 0 0 0 0 0 0 456 2 0 0 0 0 0 0\n eth0:1: 7 0 0 0 0 0 0 0 8 0 0 0 0 0 0 0\n");
  auto sample = Collector(root.machine(), {TableId::net}).collect();
  const Rows& nets = *sample->rows(TableId::net);
  ASSERT_EQ(nets.size(), 2U);
  EXPECT_EQ(nets.text(0, schema::net["device"]), "eth0");
  EXPECT_EQ(nets.at(0, schema::net["rx_bytes"]).bits, 123U);
  EXPECT_EQ(nets.at(0, schema::net["tx_bytes"]).bits, 456U);
  EXPECT_EQ(nets.text(1, schema::net["device"]), "eth0:1");
}

TEST(LiveCursor, GoesThroughTheFoldersOfARootedMachine) {
  TestRoot first;
  first.write("proc/uptime", "10.00 1\n");
  first.write("proc/stat", "procs_running 1\n");
  TestRoot second;
  second.write("proc/uptime", "12.50 1\n");
  second.write("proc/stat", "procs_running 2\n");
  auto machine = *Machine::rooted({first.path(), second.path()});
  auto cursor = *open_live(machine, {TableId::system}, kSecond);
  auto a = *cursor->first();
  auto b = *cursor->next();
  ASSERT_TRUE(b);
  EXPECT_EQ(b->clock.monotonic_ns - a->clock.monotonic_ns, 2'500 * kMillisecond);
  EXPECT_EQ(a->rows(TableId::system)->at(0, schema::system["running"]).bits, 1U);
  EXPECT_EQ(b->rows(TableId::system)->at(0, schema::system["running"]).bits, 2U);
  EXPECT_FALSE(*cursor->next());
}

TEST(LiveCursor, ReadsThisMachine) {
  auto cursor = *open_live(Machine::live(), {TableId::cpu, TableId::memory}, 10 * kMillisecond);
  auto a = *cursor->first();
  auto b = *cursor->next();
  EXPECT_GT(a->rows(TableId::memory)->number(0, schema::memory["total"]).value, 0);
  EXPECT_GE(b->clock.monotonic_ns - a->clock.monotonic_ns, 9 * kMillisecond);
  EXPECT_EQ(b->number, a->number + 1);
}

/// A reader that answers only when it is let.
class HeldReader : public Reader {
 public:
  explicit HeldReader(std::shared_future<void> gate) : gate_(std::move(gate)) {}
  TableId table() const override { return TableId::filesystem; }
  bool slow() const override { return true; }
  Result<void> read(Collecting& /*collecting*/, Rows& rows) override {
    gate_.wait();
    rows.append();
    return {};
  }

 private:
  std::shared_future<void> gate_;
};

TEST(SlowReader, IsAbsentWhileItHangsAndBackWhenItAnswers) {
  std::promise<void> gate;
  SlowReader slow(std::make_unique<HeldReader>(gate.get_future().share()), Machine::live(),
                  every_seconds(10));
  Clocks clock = Clocks::now();
  slow.request(clock, 1);
  EXPECT_EQ(slow.take(clock.monotonic_ns + kSecond), nullptr) << "not late yet";
  auto late = slow.take(clock.monotonic_ns + 6 * kSecond);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->absent, Absent::timed_out);
  EXPECT_EQ(slow.take(clock.monotonic_ns + 7 * kSecond), nullptr) << "said once";
  gate.set_value();
  slow.wait(monotonic_ns() + 60 * kSecond);
  auto rows = slow.take(clock.monotonic_ns + 8 * kSecond);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->absent, Absent::no);
  EXPECT_EQ(rows->size(), 1U);
}

}  // namespace
}  // namespace tacho
