#include "collect/capture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "collect/test_rows.h"
#include "host/test_root.h"
#include "schema/cgroup.h"
#include "schema/disk.h"
#include "schema/host.h"
#include "schema/net.h"
#include "schema/process.h"

namespace tacho {
namespace {

/// Every row of a table as text, but for columns that change from one moment to the next.
std::string stable_text(const Rows& rows, std::initializer_list<Column> columns) {
  std::string text = fmt::format("{}\n", name(rows.absent));
  for (size_t row = 0; row < rows.size(); ++row) {
    for (Column column : columns)
      text += cell(rows, row, column) + " ";
    text += "\n";
  }
  return text;
}

/// A table of the machine and of its capture.
void expect_same(const std::shared_ptr<Machine>& machine, const std::string& folder, TableId table,
                 std::initializer_list<Column> columns) {
  auto here = read_table(machine, table);
  auto there = read_table(*Machine::rooted({folder}), table);
  EXPECT_EQ(stable_text(*here, columns), stable_text(*there, columns)) << table_view(table).name;
}

TEST(Capture, ACaptureOfAWrittenMachineReadsTheSame) {
  for (const char* name : {"node-v1", "node-v2"}) {
    TestRoot target;
    auto machine = test_machine(name);
    auto summary = capture(*machine, target.path() + "/captured");
    ASSERT_TRUE(summary) << summary.error().what;
    std::string folder = target.path() + "/captured";
    for (size_t i = 0; i < kTableCount; ++i) {
      auto table = static_cast<TableId>(i);
      auto here = read_table(machine, table);
      auto there = read_table(*Machine::rooted({folder}), table);
      if (!here) continue;  // no reader
      ASSERT_TRUE(there);
      EXPECT_EQ(here->absent, there->absent) << table_view(table).name;
      ASSERT_EQ(here->size(), there->size()) << table_view(table).name;
      for (size_t row = 0; row < here->size(); ++row) {
        for (uint16_t c = 0; c < here->width(); ++c) {
          EXPECT_EQ(cell(*here, row, {table, c}), cell(*there, row, {table, c}))
              << name << " " << table_view(table).name << "." << table_view(table).metrics[c].name;
        }
      }
    }
  }
}

TEST(Capture, ACaptureOfThisMachineReadsTheSame) {
  TestRoot target;
  std::string folder = target.path() + "/captured";
  auto machine = Machine::live();
  auto summary = capture(*machine, folder);
  ASSERT_TRUE(summary) << summary.error().what;
  EXPECT_GT(summary->files, 50U);
  expect_same(
      machine, folder, TableId::host,
      {schema::host["name"], schema::host["kernel"], schema::host["boot_id"], schema::host["cpus"],
       schema::host["cpus_configured"], schema::host["page_size"], schema::host["memory"]});
  expect_same(machine, folder, TableId::filesystem,
              {schema::filesystem["mount"], schema::filesystem["type"], schema::filesystem["size"],
               schema::filesystem["inodes"], schema::filesystem["read_only"]});
  expect_same(machine, folder, TableId::net,
              {schema::net["device"], schema::net["speed"], schema::net["max_speed"],
               schema::net["mtu"], schema::net["operstate"], schema::net["carrier"]});
  expect_same(machine, folder, TableId::disk,
              {schema::disk["device"], schema::disk["major"], schema::disk["minor"]});
  auto here = read_table(machine, TableId::process);
  auto there = read_table(*Machine::rooted({folder}), TableId::process);
  auto find_self = [](const Rows& rows) {
    size_t row = 0;
    while (row < rows.size() &&
           rows.at(row, schema::process["pid"]).bits != static_cast<uint64_t>(getpid())) {
      ++row;
    }
    return row;
  };
  size_t a = find_self(*here);
  size_t b = find_self(*there);
  ASSERT_LT(a, here->size());
  ASSERT_LT(b, there->size());
  for (Column column :
       {schema::process["start"], schema::process["command"], schema::process["command_line"],
        schema::process["cgroup"], schema::process["user"], schema::process["allowed_cpu_list"]}) {
    EXPECT_EQ(cell(*here, a, column), cell(*there, b, column)) << metric_of(column).name;
  }
}

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Capture, SecretsAndEnvironmentsStayWhereTheyAre) {
  TestRoot root;
  root.write("proc/7/stat", "7 (python3) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5\n");
  root.write("proc/7/cmdline", std::string("python3\0--token=hunter2\0a b\0", 27));
  root.write("proc/7/environ", "API_KEY=hunter2");
  root.link("proc/7/fd/3", "socket:[77]");
  root.link("proc/7/fd/4", "/home/me/secret-plan.txt");
  TestRoot target;
  ASSERT_TRUE(capture(*root.machine(), target.path()));
  EXPECT_EQ(slurp(target.path() + "/proc/7/cmdline"),
            std::string("python3\0--token=***\0a\0b\0", 24));
  EXPECT_FALSE(target.machine()->exists("proc/7/environ"));
  EXPECT_EQ(*target.machine()->link("proc/7/fd/3"), "socket:[77]");
  EXPECT_FALSE(target.machine()->link("proc/7/fd/4"));
}

TEST(Capture, AFolderThatHoldsSomethingIsLeftAlone) {
  TestRoot target;
  target.write("mine", "x");
  auto outcome = capture(*test_machine("node-v1"), target.path());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::invalid);
  EXPECT_FALSE(target.machine()->exists("proc"));
}

TEST(Capture, AFolderThatCannotBeMadeIsAnError) {
  EXPECT_FALSE(capture(*test_machine("node-v1"), "/proc/no/such/folder"));
}

}  // namespace
}  // namespace tacho
