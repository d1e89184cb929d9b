#include "render/number.h"

#include <gtest/gtest.h>

#include <limits>

namespace tacho {
namespace {

TEST(Format, AbsentIsADashNeverZero) {
  Number absent = Absent::no_permission;
  EXPECT_EQ(format_fixed(absent, 2), "-");
  EXPECT_EQ(format_bytes(absent), "-");
  EXPECT_EQ(format_seconds(absent), "-");
  EXPECT_EQ(format_value(absent, Dimension::percent), "-");
  EXPECT_EQ(format_exact(absent), "");
  EXPECT_EQ(format_fixed(std::numeric_limits<double>::quiet_NaN(), 1), "-");
}

TEST(Format, NegativeZeroIsZero) {
  EXPECT_EQ(format_fixed(-0.001, 1), "0.0");
  EXPECT_EQ(format_fixed(-0.06, 1), "-0.1");
}

TEST(Format, ShortKeepsThreeDigits) {
  EXPECT_EQ(format_short(0), "0");
  EXPECT_EQ(format_short(0.314), "0.31");
  EXPECT_EQ(format_short(4.5), "4.5");
  EXPECT_EQ(format_short(42.04), "42");
  EXPECT_EQ(format_short(42.06), "42.1");
  EXPECT_EQ(format_short(1234.4), "1234");
  EXPECT_EQ(format_short(100), "100");
}

TEST(Format, BytesInPowersOf1024) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(1610612736), "1.5 GiB");
  EXPECT_EQ(format_bytes(1048575.99), "1 MiB");
}

TEST(Format, SecondsFromMicrosecondsToDays) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(0.00025), "250 us");
  EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(format_seconds(1.5), "1.5 s");
  EXPECT_EQ(format_seconds(119), "119 s");
  EXPECT_EQ(format_seconds(245), "4m 05s");
  EXPECT_EQ(format_seconds(11220), "3h 07m");
  EXPECT_EQ(format_seconds(187200), "2d 04h");
}

TEST(Format, ByDimension) {
  EXPECT_EQ(format_value(100e6, Dimension::bits_per_second), "100 Mbit/s");
  EXPECT_EQ(format_value(2.4e9, Dimension::hertz), "2.4 GHz");
  EXPECT_EQ(format_value(61.27, Dimension::percent), "61.3 %");
  EXPECT_EQ(format_rate(3.2 * 1048576, Dimension::bytes), "3.2 MiB/s");
  EXPECT_EQ(format_rate(41, Dimension::none), "41/s");
}

TEST(Format, ExactGivesTheSameDoubleBack) {
  EXPECT_EQ(format_exact(25275953152.0), "25275953152");
  EXPECT_EQ(format_exact(0.1), "0.1");
  EXPECT_EQ(format_exact(-0.0), "0");
}

}  // namespace
}  // namespace tacho
