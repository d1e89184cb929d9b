#include "collect/cgroup_reader.h"

#include <gtest/gtest.h>

#include "collect/test_rows.h"
#include "collect/tree.h"
#include "host/test_root.h"
#include "schema/cgroup.h"

namespace tacho {
namespace {

constexpr auto& kCgroup = schema::cgroup;
constexpr Column kPath = kCgroup["path"];

TEST(CgroupReader, V2TheGroupAndItsAncestors) {
  auto rows = read_table(test_machine("node-v2"), TableId::cgroup);
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ(cell(*rows, 0, kPath), "/");
  EXPECT_EQ(cell(*rows, 1, kPath), "/kubepods.slice");
  EXPECT_EQ(cell(*rows, 2, kPath), "/kubepods.slice/pod1.scope");
  auto pod = [&](Column column) { return cell(*rows, 2, column); };
  EXPECT_EQ(pod(kCgroup["usage_time"]), "4000000");
  EXPECT_EQ(pod(kCgroup["cpu_quota"]), "50000");
  EXPECT_EQ(pod(kCgroup["cpu_period"]), "100000");
  EXPECT_EQ(pod(kCgroup["periods"]), "600");
  EXPECT_EQ(pod(kCgroup["throttled_periods"]), "450");
  EXPECT_EQ(pod(kCgroup["throttled_time"]), "12000000");
  EXPECT_EQ(pod(kCgroup["cpus"]), "3");
  EXPECT_EQ(pod(kCgroup["memory_limit"]), "4294967296");
  EXPECT_EQ(pod(kCgroup["memory_high"]), "<not_applicable>") << "max is no limit";
  EXPECT_EQ(pod(kCgroup["swap"]), "4096");
  EXPECT_EQ(pod(kCgroup["shmem"]), "300000");
  EXPECT_EQ(pod(kCgroup["limit_hits"]), "56");
  EXPECT_EQ(pod(kCgroup["oom_kills"]), "1");
  EXPECT_EQ(pod(kCgroup["read_bytes"]), "1030") << "of both devices";
  EXPECT_EQ(pod(kCgroup["write_bytes"]), "205");
  EXPECT_EQ(pod(kCgroup["cpu_some"]), "700");
  EXPECT_EQ(pod(kCgroup["io_full"]), "9");
}

TEST(CgroupReader, V2NoLimitIsNotALimitOfZero) {
  auto rows = read_table(test_machine("node-v2"), TableId::cgroup);
  EXPECT_EQ(cell(*rows, 0, kCgroup["cpu_quota"]), "<not_applicable>") << "the root has none";
  EXPECT_EQ(cell(*rows, 0, kCgroup["memory"]), "<not_supported>");
  EXPECT_EQ(cell(*rows, 1, kCgroup["cpu_quota"]), "<not_applicable>");
  EXPECT_EQ(cell(*rows, 1, kCgroup["memory_limit"]), "<not_applicable>");
  EXPECT_EQ(cell(*rows, 1, kCgroup["memory"]), "3000000");
}

TEST(CgroupReader, V1EachControllerForItself) {
  auto rows = read_table(test_machine("node-v1"), TableId::cgroup);
  ASSERT_EQ(rows->size(), 4U);
  size_t root = find_row(*rows, kPath, "/");
  size_t boxes = find_row(*rows, kPath, "/boxes");
  size_t one = find_row(*rows, kPath, "/boxes/one");
  size_t job = find_row(*rows, kPath, "/job");
  EXPECT_EQ(cell(*rows, job, kCgroup["usage_time"]), "1234567") << "µs of nanoseconds";
  EXPECT_EQ(cell(*rows, job, kCgroup["user_time"]), "1000000");
  EXPECT_EQ(cell(*rows, job, kCgroup["cpu_quota"]), "30000");
  EXPECT_EQ(cell(*rows, job, kCgroup["throttled_periods"]), "44");
  EXPECT_EQ(cell(*rows, job, kCgroup["throttled_time"]), "6800000");
  EXPECT_EQ(cell(*rows, job, kCgroup["memory"]), "<not_applicable>") << "no memory group";
  EXPECT_EQ(cell(*rows, root, kCgroup["cpu_quota"]), "<not_applicable>") << "-1 is no limit";
  EXPECT_EQ(cell(*rows, root, kCgroup["read_bytes"]), "4097");
  EXPECT_EQ(cell(*rows, root, kCgroup["write_bytes"]), "512");
  EXPECT_EQ(cell(*rows, one, kCgroup["memory"]), "104857600");
  EXPECT_EQ(cell(*rows, one, kCgroup["memory_limit"]), "104857600");
  EXPECT_EQ(cell(*rows, one, kCgroup["anon"]), "2097152") << "with the groups below it";
  EXPECT_EQ(cell(*rows, one, kCgroup["swap"]), "4096");
  EXPECT_EQ(cell(*rows, one, kCgroup["limit_hits"]), "17");
  EXPECT_EQ(cell(*rows, one, kCgroup["oom_kills"]), "2");
  EXPECT_EQ(cell(*rows, one, kCgroup["cpu_quota"]), "<not_applicable>");
  EXPECT_EQ(cell(*rows, boxes, kCgroup["memory_limit"]), "<not_applicable>") << "v1's huge number";
}

TEST(CgroupReader, InAContainerTheOwnGroupKeepsItsPath) {
  TestRoot root;
  root.write("proc/self/mountinfo", "1 0 0:5 /docker/ab /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  root.write("sys/fs/cgroup/cgroup.procs", "1\n");
  root.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  auto rows = read_table(root.machine(), TableId::cgroup);
  ASSERT_EQ(rows->size(), 1U) << "what lies above cannot be seen";
  EXPECT_EQ(cell(*rows, 0, kPath), "/docker/ab");
  EXPECT_EQ(cell(*rows, 0, kCgroup["cpu_quota"]), "200000");
}

TEST(CgroupReader, WithoutControlGroupsTheTableIsAbsent) {
  TestRoot root;
  EXPECT_EQ(read_table(root.machine(), TableId::cgroup)->absent, Absent::not_supported);
}

TEST(CgroupReader, BrokenFilesAreAbsentCells) {
  TestRoot root;
  root.write("sys/fs/cgroup/cgroup.controllers", "cpu\n");
  root.write("sys/fs/cgroup/cgroup.procs", "1\n");
  root.write("sys/fs/cgroup/cpu.stat",
             "usage_usec x\nuser_usec\n\n\nsystem_usec 18446744073709551616\n");
  root.write("sys/fs/cgroup/cpu.max", "");
  root.write("sys/fs/cgroup/io.stat", "8:0 rbytes= wbytes=1=2\n");
  root.write("sys/fs/cgroup/cpu.pressure", "some total\nfull avg10=\n");
  auto rows = read_table(root.machine(), TableId::cgroup);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(cell(*rows, 0, kCgroup["usage_time"]), "<unreadable>");
  EXPECT_EQ(cell(*rows, 0, kCgroup["system_time"]), "<unreadable>");
  EXPECT_FALSE(rows->at(0, kCgroup["cpu_quota"]));
  EXPECT_FALSE(rows->at(0, kCgroup["read_bytes"]));
  EXPECT_FALSE(rows->at(0, kCgroup["cpu_some"]));
}

/// A reader over a folder that changes between readings, as a live machine does.
class ChangingGroup : public ::testing::Test {
 protected:
  ChangingGroup() {
    root_.write("sys/fs/cgroup/cgroup.controllers", "cpu\n");
    root_.write("sys/fs/cgroup/cgroup.procs", "1\n");
    root_.write("sys/fs/cgroup/cpu.stat", "usage_usec 1\n");
    root_.write("sys/fs/cgroup/job/cgroup.procs", "5\n");
    root_.write("sys/fs/cgroup/job/cpu.stat", "usage_usec 100\n");
    root_.write("sys/fs/cgroup/job/cpu.max", "50000 100000\n");
    root_.write("sys/fs/cgroup/job/memory.current", "1000\n");
    machine_ = root_.machine();
  }
  Rows read_at(int64_t seconds) {
    Buffer buffer;
    Clocks clock{0, seconds * kSecond, 0};
    Collecting collecting{*machine_, buffer, clock, ++sample_, nullptr};
    Rows rows(layout_of(TableId::cgroup), std::make_shared<TextPool>());
    EXPECT_TRUE(reader_->read(collecting, rows));
    return rows;
  }
  TestRoot root_;
  std::shared_ptr<Machine> machine_;
  std::shared_ptr<WatchList> list_ = std::make_shared<WatchList>();
  std::unique_ptr<Reader> reader_ = make_cgroup_reader(list_);
  uint64_t sample_ = 0;
};

TEST_F(ChangingGroup, AGroupThatDidNotRunKeepsItsMemoryFigures) {
  EXPECT_EQ(cell(read_at(1), 1, kCgroup["memory"]), "1000");
  root_.write("sys/fs/cgroup/job/memory.current", "2000\n");
  EXPECT_EQ(cell(read_at(3), 1, kCgroup["memory"]), "1000") << "it has not run";
  root_.write("sys/fs/cgroup/job/cpu.stat", "usage_usec 101\n");
  EXPECT_EQ(cell(read_at(5), 1, kCgroup["memory"]), "2000");
  root_.write("sys/fs/cgroup/job/memory.current", "3000\n");
  EXPECT_EQ(cell(read_at(16), 1, kCgroup["memory"]), "3000") << "every 10 s in any case";
}

TEST_F(ChangingGroup, SettingsAreReadEveryTenSeconds) {
  EXPECT_EQ(cell(read_at(1), 1, kCgroup["cpu_quota"]), "50000");
  root_.write("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cell(read_at(12), 1, kCgroup["cpu_quota"]), "<not_applicable>");
}

TEST_F(ChangingGroup, AGroupOfTheWatchedTreeIsThereAtOnce) {
  EXPECT_EQ(read_at(1).size(), 2U);
  root_.write("sys/fs/cgroup/new/cgroup.procs", "6\n");
  root_.write("sys/fs/cgroup/new/cpu.stat", "usage_usec 7\n");
  EXPECT_EQ(read_at(3).size(), 2U) << "listed anew every 10 s only";
  root_.write("proc/6/cgroup", "0::/new\n");
  list_->add_pid(6);
  Rows rows = read_at(4);
  size_t row = find_row(rows, kPath, "/new");
  ASSERT_NE(row, KeyIndex::npos);
  EXPECT_EQ(cell(rows, row, kCgroup["usage_time"]), "7");
}

TEST_F(ChangingGroup, AGroupThatWasRemovedIsGone) {
  EXPECT_EQ(read_at(1).size(), 2U);
  root_.remove("sys/fs/cgroup/job");
  // An open file of a plain folder can still be read; on a live machine it says ENODEV.
  EXPECT_EQ(read_at(12).size(), 1U);
}

}  // namespace
}  // namespace tacho
