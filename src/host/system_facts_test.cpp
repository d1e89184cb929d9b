#include "host/system_facts.h"

#include <gtest/gtest.h>
#include <utmpx.h>

#include <array>

#include "host/kernel_log.h"
#include "host/test_root.h"

namespace tacho {
namespace {

TEST(CpuList, RangesAndSingleNumbers) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (std::vector<uint32_t>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("0"), std::vector<uint32_t>{0});
  EXPECT_TRUE(parse_cpu_list("").empty());
  EXPECT_TRUE(parse_cpu_list("3-1").empty());
  EXPECT_TRUE(parse_cpu_list("0-99999999999").empty()) << "no machine has that many";
  EXPECT_TRUE(parse_cpu_list("0-65535,0-65535,0").empty()) << "nor so long a list";
  EXPECT_TRUE(parse_cpu_list("a").empty());
}

TEST(SystemFacts, WrittenAndReadAgain) {
  TestRoot root;
  root.write("tacho/system", system_facts_text({{"nodename", "node 7"}, {"pagesize", "65536"}}));
  auto facts = system_facts(*root.machine());
  ASSERT_TRUE(facts);
  EXPECT_EQ(find_fact(*facts, "nodename"), "node 7");
  EXPECT_EQ(find_fact(*facts, "pagesize"), "65536");
  EXPECT_EQ(find_fact(*facts, "release"), "");
}

TEST(UserSessions, AreTheRecordsOfUsersThatHaveAName) {
  std::array<utmpx, 4> records{};
  records[0].ut_type = BOOT_TIME;
  records[0].ut_user[0] = 'r';
  records[1].ut_type = USER_PROCESS;
  records[1].ut_user[0] = 'a';
  records[2].ut_type = DEAD_PROCESS;
  records[2].ut_user[0] = 'b';
  records[3].ut_type = USER_PROCESS;
  std::string_view bytes(reinterpret_cast<const char*>(records.data()), sizeof records);
  EXPECT_EQ(count_user_sessions(bytes), 1U);
  EXPECT_EQ(count_user_sessions(bytes.substr(0, sizeof(utmpx) + 5)), 0U) << "half a record is none";
}

TEST(MachineClocks, AreThoseOfTheCapture) {
  TestRoot root;
  root.write("proc/uptime", "10.00 1\n");
  root.write("tacho/clock", "realtime_ns 3000\nmonotonic_ns 1000\nboottime_ns 2000\n");
  EXPECT_EQ(root.machine()->clocks(), (Clocks{3000, 1000, 2000}));
  root.write("tacho/clock", "realtime_ns 3000\n");
  EXPECT_EQ(root.machine()->clocks().boottime_ns, 10 * kSecond) << "half of it is none of it";
}

TEST(KernelRecord, TheFieldsBeforeTheSemicolonAndTheFirstLine) {
  auto record = parse_kernel_record("6,1234,5678901,-,caller=T1;eth0: link up\n SUBSYSTEM=net\n");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->sequence, 1234U);
  EXPECT_EQ(record->since_boot_us, 5678901U);
  EXPECT_EQ(record->message, "eth0: link up");
  EXPECT_FALSE(parse_kernel_record("no record"));
  EXPECT_FALSE(parse_kernel_record("6,x,1,-;text"));
  EXPECT_FALSE(parse_kernel_record("6,1;text"));
}

}  // namespace
}  // namespace tacho
