// Processes of which only some columns are wanted, and what stat, status and statm say of them.
#include <gtest/gtest.h>

#include "collect/test_rows.h"
#include "host/test_root.h"
#include "schema/process.h"

namespace tacho {
namespace {

/// The line of proc/PID/stat; what is not named is the same for all.
std::string stat_line(int pid, int minor_faults, int nice, int resident_pages) {
  return fmt::format(
      "{} (work) S 1 {} 3 34817 77 4194304 {} 0 2 0 150 50 0 0 20 {} 1 0 900 8192000 {} 0 0 0 0 0 "
      "0 0 0 0 0 0 0 17 1 0 0 0 0 0",
      pid, pid, minor_faults, nice, resident_pages);
}
void write_process(const TestRoot& root, int pid, const std::string& stat,
                   const std::string& statm) {
  std::string folder = "proc/" + std::to_string(pid);
  root.write(folder + "/stat", stat);
  root.write(folder + "/statm", statm);
  root.write(folder + "/status",
             "Name:\twork\nUid:\t1000\t2000\t3000\t4000\nGid:\t10\t20\t30\t40\n"
             "Groups:\t4 24 27 \nVmLck:\t       8 kB\nRssAnon:\t      96 kB\n");
}

RowsPtr read_columns(const std::shared_ptr<Machine>& machine,
                     std::initializer_list<Column> columns) {
  Selection selection;
  for (Column column : columns)
    selection.want(column);
  return Collector(machine, selection).collect()->rows_ptr(TableId::process);
}

TEST(ProcessColumns, UsersGroupsTerminalAndMemory) {
  TestRoot root;
  root.write("etc/passwd", "ann:x:1000:1:::\nbob:x:2000:1:::\n");
  root.write("etc/group", "daemon:x:10:\nstaff:x:20:ann,bob\n");
  write_process(root, 5, stat_line(5, 11, -5, 10), "2000 10 7 25 0 300 0\n");
  auto rows = read_table(root.machine(), TableId::process);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(cell(*rows, 0, schema::process["uid"]), "2000") << "the effective one is the second";
  EXPECT_EQ(cell(*rows, 0, schema::process["user"]), "bob");
  EXPECT_EQ(cell(*rows, 0, schema::process["real_uid"]), "1000");
  EXPECT_EQ(cell(*rows, 0, schema::process["saved_uid"]), "3000");
  EXPECT_EQ(cell(*rows, 0, schema::process["file_uid"]), "4000");
  EXPECT_EQ(cell(*rows, 0, schema::process["gid"]), "20");
  EXPECT_EQ(cell(*rows, 0, schema::process["group"]), "staff");
  EXPECT_EQ(cell(*rows, 0, schema::process["groups"]), "4 24 27");
  EXPECT_EQ(cell(*rows, 0, schema::process["process_group"]), "5");
  EXPECT_EQ(cell(*rows, 0, schema::process["session"]), "3");
  EXPECT_EQ(cell(*rows, 0, schema::process["terminal"]), "34817");
  EXPECT_EQ(cell(*rows, 0, schema::process["terminal_group"]), "77");
  EXPECT_EQ(cell(*rows, 0, schema::process["flags"]), "4194304");
  auto kib = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
  EXPECT_EQ(rows->at(0, schema::process["shared"]).bits, 7 * kib);
  EXPECT_EQ(rows->at(0, schema::process["code"]).bits, 25 * kib);
  EXPECT_EQ(rows->at(0, schema::process["data"]).bits, 300 * kib);
  EXPECT_EQ(cell(*rows, 0, schema::process["locked"]), "8");
  EXPECT_EQ(cell(*rows, 0, schema::process["resident_anonymous"]), "96");
  EXPECT_EQ(cell(*rows, 0, schema::process["resident_shared"]), "<not_supported>");
}

TEST(ProcessColumns, OnlyTheFilesOfThoseWantedAreRead) {
  TestRoot root;
  write_process(root, 5, stat_line(5, 11, -5, 10), "2000 10 7 25 0 300 0\n");
  auto rows = read_columns(root.machine(), {schema::process["pid"], schema::process["nice"]});
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(*rows->number(0, schema::process["nice"]), -5) << "stands in stat too";
  for (Column column : {schema::process["shared"], schema::process["uid"],
                        schema::process["run_delay"], schema::process["read_bytes"],
                        schema::process["command_line"], schema::process["cgroup"]}) {
    EXPECT_EQ(cell(*rows, 0, column), "<not_read>");
  }
  rows = read_columns(root.machine(), {schema::process["user"], schema::process["shared"]});
  EXPECT_EQ(cell(*rows, 0, schema::process["user"]), "2000");
  EXPECT_EQ(cell(*rows, 0, schema::process["real_uid"]), "1000");
}

TEST(ProcessColumns, OnlyWhatADormantProcessAloneChangesIsTakenOver) {
  TestRoot first;
  TestRoot second;
  write_process(first, 3, stat_line(3, 11, 0, 10), "2000 10 7 25 0 300 0\n");
  write_process(first, 4, stat_line(4, 11, 0, 10), "2000 10 7 25 0 300 0\n");
  write_process(first, 5, stat_line(5, 11, 0, 10), "2000 10 7 25 0 300 0\n");
  write_process(second, 3, stat_line(3, 11, 19, 10), "2000 10 9 25 0 300 0\n");
  write_process(second, 4, stat_line(4, 12, 0, 10), "2000 10 9 25 0 300 0\n");
  write_process(second, 5, stat_line(5, 11, 0, 8), "2000 8 5 25 0 300 0\n");
  auto machine = *Machine::rooted({first.path(), second.path()});
  Selection selection;
  for (Column column : {schema::process["nice"], schema::process["shared"]})
    selection.want(column);
  Collector collector(machine, selection);
  (void)collector.collect();
  ASSERT_TRUE(machine->next_root());
  auto rows = collector.collect()->rows_ptr(TableId::process);
  auto kib = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
  EXPECT_EQ(cell(*rows, 0, schema::process["nice"]), "19") << "others may have changed that";
  EXPECT_EQ(rows->at(0, schema::process["shared"]).bits, 7 * kib) << "without a page fault";
  EXPECT_EQ(rows->at(1, schema::process["shared"]).bits, 9 * kib) << "after a page fault";
  EXPECT_EQ(rows->at(2, schema::process["shared"]).bits, 5 * kib) << "memory was reclaimed";
}

TEST(ProcessColumns, TheOwnerOfALiveProcessIsItsEffectiveUser) {
  auto rows = read_columns(Machine::live(), {schema::process["pid"], schema::process["user"]});
  bool seen = false;
  for (size_t row = 0; row < rows->size(); ++row) {
    if (rows->at(row, schema::process["pid"]).bits != static_cast<uint64_t>(getpid())) continue;
    seen = true;
    EXPECT_EQ(rows->at(row, schema::process["uid"]).bits, geteuid());
    EXPECT_EQ(cell(*rows, row, schema::process["real_uid"]), "<not_read>");
  }
  EXPECT_TRUE(seen);
}

TEST(ThreadReader, OfEveryProcessWhereAllAreWanted) {
  TestRoot root;
  write_process(root, 5, stat_line(5, 11, 0, 10), "2000 10 7 25 0 300 0\n");
  root.write("proc/5/task/5/stat", stat_line(5, 11, 0, 10));
  root.write("proc/5/task/6/stat", stat_line(6, 3, 7, 10));
  Selection selection{TableId::process, TableId::thread};
  EXPECT_EQ(Collector(root.machine(), selection).collect()->rows(TableId::thread)->size(), 0U)
      << "no tree is watched";
  CollectorOptions options;
  options.all_threads = true;
  auto rows = Collector(root.machine(), selection, options).collect()->rows_ptr(TableId::thread);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(cell(*rows, 1, schema::thread["pid"]), "5");
  EXPECT_EQ(cell(*rows, 1, schema::thread["tid"]), "6");
  EXPECT_EQ(cell(*rows, 1, schema::thread["nice"]), "7");
  EXPECT_EQ(cell(*rows, 1, schema::thread["priority"]), "20");
  EXPECT_EQ(cell(*rows, 1, schema::thread["minor_faults"]), "3");
}

}  // namespace
}  // namespace tacho
