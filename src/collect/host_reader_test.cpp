#include "collect/host_reader.h"

#include <gtest/gtest.h>

#include "collect/test_rows.h"
#include "host/test_root.h"
#include "schema/cpu.h"
#include "schema/host.h"

namespace tacho {
namespace {

TEST(HostReader, FactsFromFilesAndCalls) {
  auto rows = read_table(test_machine("node-v2"), TableId::host);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(cell(*rows, 0, schema::host["name"]), "node7");
  EXPECT_EQ(cell(*rows, 0, schema::host["kernel"]), "6.1.0-example");
  EXPECT_EQ(cell(*rows, 0, schema::host["cpu_model"]), "Example CPU @ 2.50GHz");
  EXPECT_EQ(cell(*rows, 0, schema::host["boot_id"]), "0f1e2d3c-0000-4000-8000-000000000001");
  EXPECT_EQ(cell(*rows, 0, schema::host["cpus"]), "4");
  EXPECT_EQ(cell(*rows, 0, schema::host["cpus_configured"]), "8");
  EXPECT_EQ(cell(*rows, 0, schema::host["page_size"]), "4096");
  EXPECT_EQ(cell(*rows, 0, schema::host["memory"]), "65536000");
}

TEST(HostReader, WhatIsNotSaidIsAbsent) {
  TestRoot root;
  root.write("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.00\n");  // as on ARM
  auto rows = read_table(root.machine(), TableId::host);
  EXPECT_EQ(cell(*rows, 0, schema::host["cpu_model"]), "<not_supported>");
  EXPECT_EQ(cell(*rows, 0, schema::host["cpus"]), "<not_supported>");
}

TEST(HostReader, SessionsOfUsersAndTheLargestProcessId) {
  TestRoot root;
  root.write("tacho/system", "nodename n\nusers 3\n");
  root.write("proc/sys/kernel/pid_max", "4194304\n");
  auto rows = read_table(root.machine(), TableId::host);
  EXPECT_EQ(cell(*rows, 0, schema::host["users"]), "3");
  EXPECT_EQ(cell(*rows, 0, schema::host["pid_max"]), "4194304");
}

TEST(HostReader, OfThisMachine) {
  auto rows = read_table(Machine::live(), TableId::host);
  EXPECT_EQ(cell(*rows, 0, schema::host["page_size"]), std::to_string(sysconf(_SC_PAGESIZE)));
  EXPECT_GT(rows->at(0, schema::host["memory"]).bits, 0U);
}

TEST(CpuClockReader, RatesGovernorThrottlingAndNode) {
  auto rows = read_table(test_machine("node-v2"), TableId::cpu_clock);
  ASSERT_EQ(rows->size(), 4U);
  EXPECT_EQ(cell(*rows, 0, schema::cpu_clock["core_throttles"]), "7");
  EXPECT_EQ(cell(*rows, 2, schema::cpu_clock["cpu"]), "cpu2");
  EXPECT_EQ(cell(*rows, 2, schema::cpu_clock["frequency"]), "1200002");
  EXPECT_EQ(cell(*rows, 2, schema::cpu_clock["max_frequency"]), "2500000");
  EXPECT_EQ(cell(*rows, 2, schema::cpu_clock["governor"]), "powersave");
  EXPECT_EQ(cell(*rows, 2, schema::cpu_clock["core_throttles"]), "<not_supported>");
  EXPECT_EQ(cell(*rows, 2, schema::cpu_clock["node"]), "1");
}

TEST(CpuClockReader, WithoutSysTheTableIsAbsent) {
  TestRoot root;
  EXPECT_EQ(read_table(root.machine(), TableId::cpu_clock)->absent, Absent::not_supported);
  root.write("sys/devices/system/cpu/online", "none\n");
  EXPECT_EQ(read_table(root.machine(), TableId::cpu_clock)->absent, Absent::unreadable);
}

}  // namespace
}  // namespace tacho
