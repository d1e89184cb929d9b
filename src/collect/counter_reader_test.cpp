#include "collect/counter_reader.h"

#include <gtest/gtest.h>

#include "collect/test_rows.h"
#include "host/test_root.h"
#include "schema/net.h"

namespace tacho {
namespace {

std::string counter(const Rows& rows, std::string_view group, std::string_view name) {
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.text(row, schema::net_counter["group"]) == group &&
        rows.text(row, schema::net_counter["name"]) == name) {
      return std::to_string(static_cast<int64_t>(rows.at(row, schema::net_counter["value"]).bits));
    }
  }
  return "<none>";
}

TEST(CounterReader, AllThatTheKernelCounts) {
  TestRoot root;
  root.write("proc/net/snmp", "Tcp: MaxConn InSegs\nTcp: -1 7\nUdp: InDatagrams\nUdp: 8\n");
  root.write("proc/net/netstat", "TcpExt: TW OfTomorrow\nTcpExt: 3 4\n");
  root.write("proc/net/snmp6", "Ip6InReceives   \t5\nUdpLite6InErrors\t6\n");
  auto rows = read_table(root.machine(), TableId::net_counter);
  ASSERT_EQ(rows->size(), 7U);
  EXPECT_EQ(counter(*rows, "Tcp", "MaxConn"), "-1");
  EXPECT_EQ(counter(*rows, "Tcp", "InSegs"), "7");
  EXPECT_EQ(counter(*rows, "TcpExt", "OfTomorrow"), "4");
  EXPECT_EQ(counter(*rows, "Ip6", "Ip6InReceives"), "5");
  EXPECT_EQ(counter(*rows, "UdpLite6", "UdpLite6InErrors"), "6");
}

TEST(CounterReader, WithoutIPv6NothingIsMissing) {
  TestRoot root;
  root.write("proc/net/snmp", "Tcp: InSegs\nTcp: 7\n");
  EXPECT_EQ(read_table(root.machine(), TableId::net_counter)->size(), 1U);
  TestRoot none;
  EXPECT_EQ(read_table(none.machine(), TableId::net_counter)->absent, Absent::not_supported);
}

TEST(CounterReader, HalfALineIsNoCounter) {
  Rows rows(layout_of(TableId::net_counter), std::make_shared<TextPool>());
  parse_headed_counters("Tcp: A B C\nTcp: 1 x\nIp: D\nUdp: 4\nTcp: E", rows);
  parse_counter_lines("Ip6InReceives\nnothing 7\n", rows);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(counter(rows, "Tcp", "A"), "1");
}

}  // namespace
}  // namespace tacho
