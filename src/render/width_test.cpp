#include "render/width.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("85 °C"), 5U);
  EXPECT_EQ(display_width("训练"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("\x1b[31mred\x1b[0m"), 3U);
  EXPECT_EQ(display_width("a\xff"), 2U);
}

TEST(Fit, MarksWhatWasCut) {
  EXPECT_EQ(fit("python3", 7), "python3");
  EXPECT_EQ(fit("python3", 5), "pyth…");
  EXPECT_EQ(fit("训练慢", 4), "训…");
  EXPECT_EQ(fit("abc", 0), "");
}

TEST(Pad, ByColumns) {
  EXPECT_EQ(pad_right("°C", 4), "°C  ");
  EXPECT_EQ(pad_left("训", 4), "  训");
  EXPECT_EQ(pad_left("12345", 3), "12345");
}

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_THAT(wrap("the disk is too slow", 8), ElementsAre("the disk", "is too", "slow"));
  EXPECT_THAT(wrap("/very/long/path x", 6), ElementsAre("/very/", "long/p", "ath x"));
  EXPECT_THAT(wrap("", 8), ElementsAre(""));
  EXPECT_THAT(wrap("训练", 1), ElementsAre("训", "练"));
}

TEST(Hang, IndentsTheLinesThatFollow) {
  EXPECT_EQ(hang("  - ", "one two three", 11), "  - one two\n    three\n");
}

}  // namespace
}  // namespace tacho
