#include "collect/exit_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collect/exit_sums.h"
#include "schema/process.h"

namespace tacho {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kHour = 3'600'000'000;

struct Listed {
  uint64_t pid, start, user_ticks, system_ticks;
  const char* cgroup = "/";
};

void scan(ExitLedger& ledger, std::initializer_list<Listed> processes) {
  Rows rows(layout_of(TableId::process), std::make_shared<TextPool>());
  for (const Listed& p : processes) {
    size_t row = rows.append();
    rows.set(row, schema::process["pid"], p.pid);
    rows.set(row, schema::process["start"], p.start);
    rows.set(row, schema::process["user_time"], p.user_ticks);
    rows.set(row, schema::process["system_time"], p.system_ticks);
    rows.set_text(row, schema::process["cgroup"], p.cgroup);
  }
  ledger.scanned(rows);
}

/// A process of one task, whose two clocks agree.
TaskExit ended(uint64_t pid, uint64_t user_us, uint64_t system_us) {
  TaskExit exit;
  exit.pid = exit.process = pid;
  exit.parent = 1;
  exit.command = "work";
  exit.user_us = user_us;
  exit.system_us = system_us;
  exit.run_ns = (user_us + system_us) * 1000;
  exit.process_age_us = 1000;
  exit.last = true;
  return exit;
}

TEST(ExitLedger, CountsAllOfAProcessThatNoScanSaw) {
  ExitLedger ledger;
  scan(ledger, {{1, 5, 0, 0, "/init"}});
  auto settled = ledger.settle({ended(70, 4000, 1000)}, kHour);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].command, "work");
  EXPECT_EQ(settled[0].user_us, 4000U);
  EXPECT_EQ(settled[0].system_us, 1000U);
  EXPECT_EQ(settled[0].cgroup, "/init") << "that of its parent";
  EXPECT_FALSE(settled[0].failed);
}

TEST(ExitLedger, CountsOnlyWhatTheLastScanDidNotSee) {
  ExitLedger ledger;
  scan(ledger, {{70, 900, 10, 5, "/job"}});  // 100 and 50 ms
  scan(ledger, {});
  auto settled = ledger.settle({ended(70, 160'000, 80'000)}, kHour);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].user_us, 60'000U);
  EXPECT_EQ(settled[0].system_us, 30'000U);
  EXPECT_EQ(settled[0].cgroup, "/job");
}

TEST(ExitLedger, WaitsUntilAZombieIsListedNoMore) {
  ExitLedger ledger;
  scan(ledger, {{70, 900, 10, 0}});
  EXPECT_THAT(ledger.settle({ended(70, 200'000, 0)}, kHour), IsEmpty());
  scan(ledger, {{70, 900, 20, 0}});  // a zombie, with all its time
  EXPECT_THAT(ledger.settle({}, kHour), IsEmpty());
  scan(ledger, {});
  auto settled = ledger.settle({}, kHour);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].user_us, 0U) << "the process table has counted it";
}

TEST(ExitLedger, TellsApartTwoProcessesOfOnePid) {
  ExitLedger ledger;
  scan(ledger, {{70, 900, 10, 0}});
  scan(ledger, {{70, 950, 3, 0}});  // the pid was given away, and both end now
  auto settled = ledger.settle({ended(70, 150'000, 0), ended(70, 40'000, 0)}, kHour);
  ASSERT_THAT(settled, SizeIs(1)) << "the second is still listed";
  EXPECT_EQ(settled[0].user_us, 50'000U);
  scan(ledger, {});
  settled = ledger.settle({}, kHour);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].user_us, 10'000U);
}

TEST(ExitLedger, AddsUpThreadsAndTakesTheNameOfTheLeader) {
  ExitLedger ledger;
  scan(ledger, {});
  TaskExit leader = ended(70, 10'000, 0);
  leader.last = false;
  leader.command = "python";
  TaskExit worker = ended(71, 20'000, 30'000);
  worker.process = 70;
  worker.command = "worker";
  worker.process_run_ns = 61'000'000;
  worker.exit_code = 256;
  EXPECT_THAT(ledger.settle({leader}, kHour), IsEmpty()) << "the process goes on";
  auto settled = ledger.settle({worker}, kHour);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].command, "python");
  EXPECT_EQ(settled[0].user_us, 30'000U);
  EXPECT_EQ(settled[0].system_us, 30'000U);
  EXPECT_EQ(settled[0].run_us, 61'000U);
  EXPECT_TRUE(settled[0].failed);
}

TEST(ExitLedger, CountsNoTimeOfAProcessOlderThanItsHearing) {
  ExitLedger ledger;
  TaskExit old = ended(70, 5'000'000, 0);
  old.process_age_us = 10'000'000;
  auto settled = ledger.settle({old}, 9'000'000);
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_EQ(settled[0].user_us, 0U);
}

TEST(ExitLedger, FindsTheGroupThroughParentsThatEndedToo) {
  ExitLedger ledger;
  scan(ledger, {{60, 1, 0, 0, "/build"}});
  TaskExit shell = ended(70, 0, 0);
  shell.parent = 60;
  TaskExit compiler = ended(71, 9000, 0);
  compiler.parent = 70;
  auto settled = ledger.settle({compiler, shell}, kHour);
  ASSERT_THAT(settled, SizeIs(2));
  EXPECT_EQ(settled[0].cgroup, "/build");
}

TEST(ExitLedger, GivesKernelWorkersOneName) {
  ExitLedger ledger;
  TaskExit worker = ended(70, 0, 4000);
  worker.parent = 2;
  worker.command = "kworker/u8:3";
  EXPECT_EQ(ledger.settle({worker}, kHour)[0].command, "kworker");
}

TEST(ExitLedger, ForgetsWhatEndedUnheard) {
  ExitLedger ledger;
  for (uint64_t pid = 1; pid <= 5000; ++pid) {
    scan(ledger, {{pid, pid, 0, 0}});
    TaskExit thread = ended(pid + 10'000, 1, 0);
    thread.process = pid;
    thread.last = false;  // the message of the last one is lost
    EXPECT_THAT(ledger.settle({thread}, kHour), IsEmpty());
  }
  EXPECT_LE(ledger.remembered(), 4U);
}

class ExitSumsTest : public ::testing::Test {
 protected:
  void fill(uint64_t lost = 0) {
    rows_.clear();
    sums_.fill(rows_, lost, [](uint64_t uid) { return uid == 0 ? "root" : "nobody"; });
  }
  double seconds(size_t row, Column column) { return *rows_.number(row, column); }

  ExitSums sums_;
  Rows rows_{layout_of(TableId::process_exit), std::make_shared<TextPool>()};
};

TEST_F(ExitSumsTest, AddsUpByCommandUserAndGroup) {
  sums_.add({"cc", "/build", 0, 3000, 1000, 0, false});
  sums_.add({"cc", "/build", 0, 2000, 500, 0, true});
  sums_.add({"cc", "/build", 65534, 7000, 0, 0, false});
  fill(12);
  ASSERT_EQ(rows_.size(), 3U);
  EXPECT_EQ(rows_.at(0, schema::process_exit["lost"]).bits, 12U);
  EXPECT_EQ(rows_.at(0, schema::process_exit["exits"]).absent, Absent::not_applicable);
  EXPECT_EQ(rows_.text(1, schema::process_exit["command"]), "cc");
  EXPECT_EQ(rows_.at(1, schema::process_exit["exits"]).bits, 2U);
  EXPECT_EQ(rows_.at(1, schema::process_exit["failed"]).bits, 1U);
  EXPECT_DOUBLE_EQ(seconds(1, schema::process_exit["user_time"]), 0.005);
  EXPECT_DOUBLE_EQ(seconds(1, schema::process_exit["system_time"]), 0.0015);
  EXPECT_EQ(rows_.text(2, schema::process_exit["user"]), "nobody");
}

TEST_F(ExitSumsTest, TrustsTheSchedulersClockWhereTicksSawLess) {
  sums_.add({"a", "/", 0, 3000, 1000, 8000, false});
  fill();
  EXPECT_DOUBLE_EQ(seconds(1, schema::process_exit["user_time"]), 0.006);
  EXPECT_DOUBLE_EQ(seconds(1, schema::process_exit["system_time"]), 0.002);
  sums_.add({"a", "/", 0, 0, 4000, 0, false});  // now the ticks have seen as much, differently
  fill();
  EXPECT_DOUBLE_EQ(seconds(1, schema::process_exit["user_time"]), 0.006) << "never falls";
  EXPECT_DOUBLE_EQ(seconds(1, schema::process_exit["system_time"]), 0.005);
}

TEST_F(ExitSumsTest, IsBounded) {
  for (int i = 0; i < 1500; ++i)
    sums_.add({"job" + std::to_string(i), "/", 0, 1000, 0, 0, false});
  fill();
  ASSERT_EQ(rows_.size(), 1 + ExitSums::kMost + 1);
  EXPECT_EQ(rows_.text(rows_.size() - 1, schema::process_exit["command"]), "(others)");
  EXPECT_EQ(rows_.at(rows_.size() - 1, schema::process_exit["exits"]).bits, 500U);
}

}  // namespace
}  // namespace tacho
