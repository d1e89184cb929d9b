#include <gtest/gtest.h>
#include <net/if.h>

#include "schema/net.h"
#include "views/netstat/netstat.h"

namespace tacho {
namespace {

TEST(NetstatInterfaces, ThoseThatAreUpInTheOrderOfPeople) {
  auto rows = std::make_shared<Rows>(layout_of(TableId::net), std::make_shared<TextPool>());
  auto add = [&](const char* name, uint64_t flags, const char* state) {
    size_t row = rows->append();
    rows->set_text(row, schema::net["device"], name);
    rows->set(row, schema::net["flags"], flags);
    rows->set_text(row, schema::net["operstate"], state);
    rows->set(row, schema::net["mtu"], 1500);
    for (Column column :
         {schema::net["rx_packets"], schema::net["rx_errors"], schema::net["rx_dropped"],
          schema::net["rx_fifo"], schema::net["tx_packets"], schema::net["tx_errors"],
          schema::net["tx_dropped"], schema::net["tx_fifo"]}) {
      rows->set(row, column, column.index);
    }
  };
  add("eth10", IFF_UP | IFF_BROADCAST | IFF_MULTICAST, "up");
  add("eth2", IFF_UP | IFF_BROADCAST | IFF_PROMISC, "down");
  add("ifb0", IFF_BROADCAST | IFF_NOARP, "down");
  NetstatOptions options;
  EXPECT_EQ(netstat_interfaces(*rows, options),
            "Iface             MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR "
            "Flg\n"
            "eth2             1500        2      3      4 5            10     11     12     13 "
            "BPU\n"
            "eth10            1500        2      3      4 5            10     11     12     13 "
            "BMRU\n");
  options.all = true;
  Json json = netstat_interfaces_json(*rows, options);
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[2]["flags"], Json::parse(R"(["broadcast","noarp"])"));
  EXPECT_EQ(json[2]["mtu"], 1500);
}

}  // namespace
}  // namespace tacho
