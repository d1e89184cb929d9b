#include "collect/route_reader.h"

#include <gtest/gtest.h>

#include "collect/test_rows.h"
#include "host/test_root.h"
#include "schema/net.h"

namespace tacho {
namespace {

constexpr const char* kHead =
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";

TEST(RouteReader, BothFamilies) {
  TestRoot root;
  root.write("proc/net/route", std::string(kHead) +
                                   "eth0\t0000090A\t0102010A\t0003\t0\t0\t77\t0000FFFF\t0\t1000\t37"
                                   "                \n");
  root.write("proc/net/ipv6_route",
             "20010db8ffff00000000000000000000 30 00000000000000000000000000000000 00 "
             "20010db8123456780000000000000001 00000400 00000001 0000000a 00000003     eth0\n");
  auto rows = read_table(root.machine(), TableId::route);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(cell(*rows, 0, schema::route["family"]), "inet");
  EXPECT_EQ(cell(*rows, 0, schema::route["destination"]), "10.9.0.0");
  EXPECT_EQ(cell(*rows, 0, schema::route["prefix"]), "16");
  EXPECT_EQ(cell(*rows, 0, schema::route["gateway"]), "10.1.2.1");
  EXPECT_EQ(cell(*rows, 0, schema::route["metric"]), "77");
  EXPECT_EQ(cell(*rows, 0, schema::route["flags"]), "3");
  EXPECT_EQ(cell(*rows, 0, schema::route["window"]), "1000");
  EXPECT_EQ(cell(*rows, 0, schema::route["irtt"]), "37");
  EXPECT_EQ(cell(*rows, 1, schema::route["family"]), "inet6");
  EXPECT_EQ(cell(*rows, 1, schema::route["destination"]), "2001:db8:ffff::");
  EXPECT_EQ(cell(*rows, 1, schema::route["prefix"]), "48");
  EXPECT_EQ(cell(*rows, 1, schema::route["gateway"]), "2001:db8:1234:5678::1");
  EXPECT_EQ(cell(*rows, 1, schema::route["metric"]), "1024");
  EXPECT_EQ(cell(*rows, 1, schema::route["references"]), "1");
  EXPECT_EQ(cell(*rows, 1, schema::route["uses"]), "10");
  EXPECT_EQ(cell(*rows, 1, schema::route["irtt"]), "<not_supported>");
  EXPECT_EQ(cell(*rows, 1, schema::route["device"]), "eth0");
}

TEST(RouteReader, ARouterOfAMillionKeepsAThousand) {
  std::string text = kHead;
  for (int i = 0; i < 3000; ++i)
    text += fmt::format("eth0\t{:08X}\t00000000\t0001\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n", i);
  Rows rows(layout_of(TableId::route), std::make_shared<TextPool>());
  parse_routes(text, rows);
  EXPECT_EQ(rows.size(), 1000U);
}

TEST(RouteReader, WhatIsNoRouteIsLeftOut) {
  Rows rows(layout_of(TableId::route), std::make_shared<TextPool>());
  parse_routes(std::string(kHead) + "eth0\t0000090A\t0102\t0003\t0\t0\t77\t0000FFFF\t0\t0\t0\nx\n",
               rows);
  parse_routes6("20010db8 30 0 00 0 0 0 0 0 eth0\n\n", rows);
  EXPECT_TRUE(rows.empty());
}

}  // namespace
}  // namespace tacho
