#include "collect/link_facts.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/test_rows.h"
#include "host/test_root.h"
#include "schema/net.h"

namespace tacho {
namespace {

constexpr Column kDevice = schema::net["device"];
constexpr Column kSpeed = schema::net["speed"];
constexpr Column kMaxSpeed = schema::net["max_speed"];

TEST(LinkFacts, ALinkThatFellBackAndDevicesWithoutSpeed) {
  auto rows = read_table(test_machine("node-v2"), TableId::net);
  ASSERT_EQ(rows->size(), 3U);
  size_t eno1 = find_row(*rows, kDevice, "eno1");
  EXPECT_EQ(cell(*rows, eno1, schema::net["rx_bytes"]), "5000000");
  EXPECT_EQ(cell(*rows, eno1, kSpeed), "100");
  EXPECT_EQ(cell(*rows, eno1, kMaxSpeed), "1000");
  EXPECT_EQ(cell(*rows, eno1, schema::net["duplex"]), "full");
  EXPECT_EQ(cell(*rows, eno1, schema::net["carrier_changes"]), "3");
  size_t veth = find_row(*rows, kDevice, "veth0");
  EXPECT_EQ(cell(*rows, veth, kSpeed), "<not_applicable>") << "-1 is no speed";
  EXPECT_EQ(cell(*rows, veth, schema::net["duplex"]), "<not_applicable>");
  EXPECT_EQ(cell(*rows, veth, kMaxSpeed), "<not_supported>");
  size_t lo = find_row(*rows, kDevice, "lo");
  EXPECT_EQ(cell(*rows, lo, kSpeed), "<not_supported>");
  EXPECT_EQ(cell(*rows, lo, schema::net["mtu"]), "65536");
}

TEST(LinkFacts, WithoutSysTheCountersRemain) {
  TestRoot root;
  root.write("proc/net/dev", "h|\nh|\n eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
  auto rows = read_table(root.machine(), TableId::net);
  EXPECT_EQ(cell(*rows, 0, schema::net["tx_bytes"]), "9");
  EXPECT_EQ(cell(*rows, 0, kSpeed), "<not_supported>");
  EXPECT_EQ(cell(*rows, 0, kMaxSpeed), "<not_supported>");
}

/// A tap device whose driver says what it was told: the way to a slow link without a slow cable.
class Tap {
 public:
  Tap() : tap_(open("/dev/net/tun", O_RDWR | O_CLOEXEC)) {
    request_.ifr_flags = IFF_TAP | IFF_NO_PI;
    ok_ = tap_ && ioctl(tap_.get(), TUNSETIFF, &request_) == 0;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::string name() const { return request_.ifr_name; }

  bool negotiate(uint32_t speed, uint32_t supported) {
    Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    std::array<uint32_t, 64> space{};
    auto* settings = reinterpret_cast<ethtool_link_settings*>(space.data());
    ifreq request = request_;
    request.ifr_data = reinterpret_cast<char*>(space.data());
    settings->cmd = ETHTOOL_GLINKSETTINGS;
    if (ioctl(socket.get(), SIOCETHTOOL, &request) < 0) return false;
    int words = -settings->link_mode_masks_nwords;
    settings->cmd = ETHTOOL_SLINKSETTINGS;
    settings->link_mode_masks_nwords = static_cast<int8_t>(words);
    settings->speed = speed;
    settings->duplex = DUPLEX_FULL;
    space[sizeof(ethtool_link_settings) / sizeof(uint32_t)] = supported;
    if (ioctl(socket.get(), SIOCETHTOOL, &request) < 0) return false;
    request = request_;
    if (ioctl(socket.get(), SIOCGIFFLAGS, &request) < 0) return false;
    request.ifr_flags |= IFF_UP;
    return ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
  }

 private:
  Fd tap_;
  ifreq request_{};
  bool ok_ = false;
};

TEST(LinkFacts, ATapAt100Of1000SaysSo) {
  Tap tap;
  if (!tap.ok()) GTEST_SKIP() << "needs root and /dev/net/tun";
  ASSERT_TRUE(tap.negotiate(100, 1U << ETHTOOL_LINK_MODE_1000baseT_Full_BIT));
  // The first sample waits for the facts, but on a busy machine not long enough.
  Collector collector(Machine::live(), {TableId::net});
  RowsPtr rows;
  size_t row = KeyIndex::npos;
  for (int64_t end = monotonic_ns() + 60 * kSecond; monotonic_ns() < end; usleep(10'000)) {
    rows = collector.collect()->rows_ptr(TableId::net);
    row = find_row(*rows, kDevice, tap.name());
    ASSERT_NE(row, KeyIndex::npos);
    if (cell(*rows, row, kSpeed) != "<not_read>") break;
  }
  EXPECT_EQ(cell(*rows, row, kSpeed), "100");
  EXPECT_EQ(cell(*rows, row, kMaxSpeed), "1000");
}

}  // namespace
}  // namespace tacho
