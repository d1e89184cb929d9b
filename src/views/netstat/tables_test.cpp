// Routes and statistics.
#include <gtest/gtest.h>
#include <linux/ipv6_route.h>
#include <linux/route.h>

#include "schema/net.h"
#include "views/netstat/netstat.h"

namespace tacho {
namespace {

std::shared_ptr<Rows> empty(TableId id) {
  return std::make_shared<Rows>(layout_of(id), std::make_shared<TextPool>());
}

struct Route {
  const char* family;
  const char* destination;
  uint64_t prefix;
  const char* gateway;
  const char* device;
  uint64_t metric;
  uint64_t flags;
};

std::shared_ptr<Rows> routes(std::initializer_list<Route> list) {
  auto rows = empty(TableId::route);
  for (const Route& route : list) {
    size_t row = rows->append();
    rows->set_text(row, schema::route["family"], route.family);
    rows->set_text(row, schema::route["destination"], route.destination);
    rows->set(row, schema::route["prefix"], route.prefix);
    rows->set_text(row, schema::route["gateway"], route.gateway);
    rows->set_text(row, schema::route["device"], route.device);
    rows->set(row, schema::route["metric"], route.metric);
    rows->set(row, schema::route["flags"], route.flags);
    for (Column zero : {schema::route["references"], schema::route["uses"], schema::route["mss"],
                        schema::route["window"], schema::route["irtt"]}) {
      rows->set(row, zero, 0);
    }
  }
  return rows;
}

TEST(NetstatRoutes, TheOriginalsLines) {
  auto rows =
      routes({{"inet", "0.0.0.0", 0, "10.1.2.7", "eth0", 0, RTF_UP | RTF_GATEWAY},
              {"inet", "10.5.5.5", 32, "0.0.0.0", "a-long-name-of-one", 77, RTF_UP | RTF_HOST},
              {"inet", "10.66.0.0", 16, "0.0.0.0", "*", 0, RTF_UP | RTF_REJECT},
              {"inet", "10.77.0.0", 16, "0.0.0.0", "eth0", 0, 0},
              {"inet6", "fe80::", 64, "::", "eth0", 256, RTF_UP}});
  rows->set(0, schema::route["window"], 1000);
  rows->set(0, schema::route["irtt"], 37);
  NetstatOptions options;
  EXPECT_EQ(netstat_routes(*rows, options, {}),
            "Kernel IP routing table\n"
            "Destination     Gateway         Genmask         Flags   MSS Window  irtt Iface\n"
            "0.0.0.0         10.1.2.7        0.0.0.0         UG        0 1000      37 eth0\n"
            "10.5.5.5        0.0.0.0         255.255.255.255 UH        0 0          0 "
            "a-long-name-of-one\n"
            "10.66.0.0       -               255.255.0.0     !         - -          - -\n");
  options.extended = 2;
  EXPECT_EQ(
      netstat_routes(*rows, options, {}),
      "Kernel IP routing table\n"
      "Destination     Gateway         Genmask         Flags Metric Ref    Use Iface              "
      "MSS   Window irtt\n"
      "0.0.0.0         10.1.2.7        0.0.0.0         UG    0      0        0 eth0               "
      "0     1000   37\n"
      "10.5.5.5        0.0.0.0         255.255.255.255 UH    77     0        0 a-long-name-of-one "
      "0     0      0\n"
      "10.66.0.0       -               255.255.0.0     !     0      -        0 -                  "
      "-     -      -\n")
      << "the name of the interface is not cut";
  NetstatNames names;
  names.network = [](std::string_view, uint64_t prefix) {
    return prefix == 0 ? std::string("default") : std::string();
  };
  options.extended = 0;
  EXPECT_NE(netstat_routes(*rows, options, names).find("\ndefault         10.1.2.7 "),
            std::string::npos);
}

TEST(NetstatRoutes, OfIPv6) {
  auto rows = routes({{"inet6", "2001:db8:1234:5678:9abc:def0:1234:5678", 128, "::", "br0", 0,
                       RTF_UP | RTF_NONEXTHOP | RTF_LOCAL},
                      {"inet6", "::", 0, "::", "lo", 0xffffffff, RTF_REJECT | RTF_NONEXTHOP},
                      {"inet6", "::", 0, "fd00::1", "eth0", 1024, RTF_UP | RTF_GATEWAY},
                      {"inet6", "fd00::7", 128, "::", "eth0", 0, RTF_UP | RTF_CACHE}});
  EXPECT_EQ(netstat_routes6(*rows, {}),
            "Kernel IPv6 routing table\n"
            "Destination                                Next Hop                   Flag Met  Ref  "
            "Use If\n"
            "2001:db8:1234:5678:9abc:def0:1234:5678/128 ::                         Un   0    0    "
            "  0 br0\n"
            "::/0                                       ::                         !n   -1   0    "
            "  0 lo\n"
            "::/0                                       fd00::1                    UG   1024 0    "
            "  0 eth0\n");
  NetstatOptions options;
  options.inet6 = true;
  Json json = netstat_routes_json(*rows, options);
  EXPECT_EQ(json[2]["gateway"], "fd00::1");
  EXPECT_EQ(json[0]["gateway"], nullptr);
  EXPECT_EQ(json[1]["rejects"], true);
}

TEST(NetstatStatistics, TheOriginalsWords) {
  auto rows = empty(TableId::net_counter);
  auto add = [&](const char* group, const char* name, uint64_t value) {
    size_t row = rows->append();
    rows->set_text(row, schema::net_counter["group"], group);
    rows->set_text(row, schema::net_counter["name"], name);
    rows->set(row, schema::net_counter["value"], value);
  };
  add("Ip", "Forwarding", 2);
  add("Ip", "DefaultTTL", 64);
  add("Ip", "InReceives", 0);
  add("Ip", "InHdrErrors", 0);
  add("Icmp", "InMsgs", 3);
  add("Icmp", "InDestUnreachs", 3);
  add("Icmp", "InEchos", 0);
  add("Icmp", "OutMsgs", 0);
  add("Icmp", "OutEchos", 0);
  add("IcmpMsg", "InType3", 3);
  add("Tcp", "RtoMin", 200);
  add("Tcp", "ActiveOpens", 5);
  add("TcpExt", "TCPSACKReorder", 7);
  add("TcpExt", "TCPOfTomorrow", 8);
  add("Ip6", "Ip6InReceives", 9);
  add("UdpLite6", "UdpLite6InDatagrams", 1);
  NetstatOptions options;
  options.inet = options.tcp = options.udp = options.raw = true;
  EXPECT_EQ(netstat_statistics(*rows, options),
            "Ip:\n    Forwarding: 2\n    0 total packets received\n"
            "Icmp:\n    3 ICMP messages received\n    ICMP input histogram:\n"
            "        destination unreachable: 3\n    0 ICMP messages sent\n"
            "    ICMP output histogram:\n"
            "IcmpMsg:\n        InType3: 3\n"
            "Tcp:\n    5 active connection openings\n"
            "TcpExt:\n    Detected reordering 7 times using SACK\n    TCPOfTomorrow: 8\n");
  options.inet = false;
  options.inet6 = true;
  EXPECT_EQ(netstat_statistics(*rows, options),
            "Ip6:\n    9 total packets received\nUdpLite6:\n    UdpLite6InDatagrams: 1\n"
            "Tcp:\n    5 active connection openings\n");
  EXPECT_EQ(netstat_statistics_json(*rows)["TcpExt"]["TCPOfTomorrow"], 8);
}

}  // namespace
}  // namespace tacho
