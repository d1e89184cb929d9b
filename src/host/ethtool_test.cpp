#include "host/ethtool.h"

#include <gtest/gtest.h>

#include "host/test_root.h"

namespace tacho {
namespace {

LinkModes with_bits(std::initializer_list<unsigned> bits) {
  LinkModes modes(4);
  for (unsigned bit : bits)
    modes[bit / 32] |= 1U << (bit % 32);
  return modes;
}

TEST(LinkModes, TheHighestSpeedOfWhatIsSupported) {
  EXPECT_EQ(highest_speed(with_bits({0, 1, 2, 3, 5, 6, 7})), 1000U) << "10, 100, 1000baseT";
  EXPECT_EQ(highest_speed(with_bits({5, 48, 12})), 10000U);
  EXPECT_EQ(highest_speed(with_bits({31, 38})), 100000U) << "25000baseCR, 100000baseCR4";
  EXPECT_EQ(highest_speed(with_bits({73})), 400000U) << "400000baseCR8";
  EXPECT_EQ(highest_speed(with_bits({98, 102})), 800000U) << "800000baseVR8, 10baseT1BRR";
  EXPECT_EQ(highest_speed(with_bits({120})), 800000U);
  EXPECT_EQ(highest_speed(with_bits({121})), 1600000U);
}

TEST(LinkModes, PropertiesAreNoSpeeds) {
  EXPECT_EQ(highest_speed(with_bits({6, 7, 13, 14, 49, 50, 51, 74})), 0U);
  EXPECT_EQ(highest_speed({}), 0U);
  EXPECT_EQ(highest_speed(LinkModes(9, 0)), 0U) << "more words than are known";
}

TEST(LinkModes, AsText) {
  LinkModes modes = with_bits({5, 32});
  EXPECT_EQ(link_modes_text(modes), "00000020,00000001,00000000,00000000");
  EXPECT_EQ(parse_link_modes(link_modes_text(modes)), modes);
  EXPECT_TRUE(parse_link_modes("20,xyz").empty());
  EXPECT_TRUE(parse_link_modes("").empty());
}

TEST(Ethtool, ARootedMachineAnswersFromItsFile) {
  TestRoot root;
  root.write("tacho/ethtool", "eno1 00000020,00000000\n");
  EXPECT_EQ(highest_speed(*supported_link_modes(*root.machine(), "eno1")), 1000U);
  EXPECT_EQ(supported_link_modes(*root.machine(), "eno2").error().code, Errc::not_supported);
}

TEST(Ethtool, TheLoopbackOfThisMachineHasNoLinkModes) {
  EXPECT_FALSE(supported_link_modes(*Machine::live(), "lo"));
  EXPECT_FALSE(supported_link_modes(*Machine::live(), "a name too long for an interface"));
}

}  // namespace
}  // namespace tacho
