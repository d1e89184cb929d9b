#include "collect/exit_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "base/clock.h"
#include "collect/collector.h"
#include "schema/process.h"

namespace tacho {
namespace {

/// CPU time of all processes of a command, as process_exit has it; in seconds.
double unseen(const Rows& rows, std::string_view command) {
  double sum = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, schema::process_exit["command"]) != command) continue;
    sum += *rows.number(row, schema::process_exit["user_time"]) +
           *rows.number(row, schema::process_exit["system_time"]);
  }
  return sum;
}

double exits(const Rows& rows, std::string_view command) {
  double sum = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, schema::process_exit["command"]) == command)
      sum += *rows.number(row, schema::process_exit["exits"]);
  }
  return sum;
}

/// A name that nobody else has, not even the other test beside this one.
std::string storm() {
  return fmt::format("storm{}", getpid());
}

/// A shell under that name that counts for some 30 ms. A small program, for what it costs to take
/// its memory down is never told (some 1 ms on a virtual machine; far more for this test's own).
pid_t start_short_process(const std::string& link) {
  pid_t pid = vfork();
  if (pid == 0) {
    execl(link.c_str(), link.c_str(), "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done",
          nullptr);
    _exit(127);
  }
  return pid;
}

/// What the process table saw of each of our children before it ended.
void note_seen(const Rows& rows, std::map<uint64_t, double>& seen) {
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, schema::process["command"]) != storm()) continue;
    seen[rows.at(row, schema::process["pid"]).bits] =
        *rows.number(row, schema::process["user_time"]) +
        *rows.number(row, schema::process["system_time"]);
  }
}

TEST(ExitReader, AccountsForAStormOfShortProcesses) {
  Collector collector(Machine::live(), {TableId::process, TableId::process_exit});
  auto before = collector.collect();
  Absent absent = before->rows(TableId::process_exit)->absent;
  if (absent != Absent::no) GTEST_SKIP() << "process_exit is absent: " << describe(absent);

  std::string link = ::testing::TempDir() + storm();
  unlink(link.c_str());
  ASSERT_EQ(symlink("/bin/sh", link.c_str()), 0);
  double used = 0;
  std::map<uint64_t, double> seen;
  constexpr int kProcesses = 100;
  for (int i = 0; i < kProcesses; ++i) {
    pid_t pid = start_short_process(link);
    ASSERT_GT(pid, 0);
    if (i % 10 == 5) {  // some of them run while a sample is taken
      usleep(10'000);
      note_seen(*collector.collect()->rows(TableId::process), seen);
    }
    int status = 0;
    rusage usage{};
    ASSERT_EQ(wait4(pid, &status, 0, &usage), pid);
    ASSERT_EQ(status, 0);
    used += static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  }
  unlink(link.c_str());
  auto sample = collector.collect();
  note_seen(*sample->rows(TableId::process), seen);
  const Rows& rows = *sample->rows(TableId::process_exit);
  double in_table = 0;
  for (const auto& [pid, seconds] : seen)
    in_table += seconds;
  fmt::print("[ STORM    ] {:.3f} s used; process saw {:.3f} s, process_exit {:.3f} s\n", used,
             in_table, unseen(rows, storm()));
  EXPECT_EQ(exits(rows, storm()), kProcesses);
  EXPECT_GE(in_table + unseen(rows, storm()), used * 0.9);
  EXPECT_LE(in_table + unseen(rows, storm()), used * 1.1) << "something was counted twice";
  EXPECT_EQ(rows.at(0, schema::process_exit["lost"]).bits, 0U);
}

/// The process table has all the time of a zombie, so process_exit must not have it too.
TEST(ExitReader, DoesNotCountAZombieTwice) {
  Collector collector(Machine::live(), {TableId::process, TableId::process_exit});
  if (collector.collect()->rows(TableId::process_exit)->absent != Absent::no)
    GTEST_SKIP() << "process_exit is absent";
  std::string link = ::testing::TempDir() + storm();
  unlink(link.c_str());
  ASSERT_EQ(symlink("/bin/sh", link.c_str()), 0);
  pid_t pid = start_short_process(link);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  unlink(link.c_str());
  auto sample = collector.collect();
  std::map<uint64_t, double> seen;
  note_seen(*sample->rows(TableId::process), seen);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(exits(*sample->rows(TableId::process_exit), storm()), 0) << "it is still listed";
  ASSERT_EQ(waitpid(pid, nullptr, 0), pid);
  sample = collector.collect();
  EXPECT_EQ(exits(*sample->rows(TableId::process_exit), storm()), 1);
  // Two fields cut to 10 ms each are what the process table may not have shown.
  EXPECT_LE(unseen(*sample->rows(TableId::process_exit), storm()), 0.020);
}

TEST(ExitReader, SaysThatAFolderTellsOfNoEnds) {
  auto machine = Machine::rooted({"/"});
  ASSERT_TRUE(machine);
  Collector collector(*machine, {TableId::process_exit});
  EXPECT_EQ(collector.collect()->rows(TableId::process_exit)->absent, Absent::not_supported);
}

}  // namespace
}  // namespace tacho
