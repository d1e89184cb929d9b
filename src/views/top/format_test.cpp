#include "views/top/format.h"

#include <gtest/gtest.h>

namespace tacho::top {
namespace {

/// What procps 4.0.2 prints for the same figures and widths.
TEST(TopFormat, MemoryIsScaledOnlyWhereItMustBe) {
  EXPECT_EQ(memory(9999999.0, 7, 0), "9999999");
  EXPECT_EQ(memory(10000000.0, 7, 0), "9765.6m");
  EXPECT_EQ(memory(21474836480.0, 7, 0), "20.0t");
  EXPECT_EQ(memory(299312.0, 6, 0), "299312");
  EXPECT_EQ(memory(1299312.0, 6, 0), "1.2g") << "1268.9m has seven characters";
  EXPECT_EQ(memory(299312.0, 6, 1), "292.3m");
  EXPECT_EQ(memory(0.0, 6, 2), "0.0g");
  EXPECT_EQ(memory(Absent::not_read, 6, 0), "-");
}

TEST(TopFormat, CountsAreScaledByPowersOf1024) {
  EXPECT_EQ(count(9999.0, 4), "9999");
  EXPECT_EQ(count(10240.0, 4), "10k");
  EXPECT_EQ(count(1536000.0, 4), "1.5m");
  EXPECT_EQ(count(80957440.0, 6), "79060k");
  EXPECT_EQ(count(407203840.0, 6), "388.3m");
  EXPECT_EQ(count(Absent::no_permission, 6), "-");
}

TEST(TopFormat, PercentagesLoseDigitsWhereThereIsNoRoom) {
  EXPECT_EQ(percent(99.96, 5), "100.0");
  EXPECT_EQ(percent(1600.0, 5), "1600");
  EXPECT_EQ(percent(0.0503, 6, true), "0.050");
  EXPECT_EQ(percent(1234.567, 7, true), "1234.57");
  EXPECT_EQ(percent(1234567.0, 5), "?");
}

TEST(TopFormat, TimesAreShownInTheFirstFormThatFits) {
  EXPECT_EQ(time(45.8, 9, TimeForm::hundredths), "0:45.80");
  EXPECT_EQ(time(45.8, 6, TimeForm::hundredths), "0:45");
  EXPECT_EQ(time(360 * 60 + 59.99, 9, TimeForm::hundredths), "360:59.99");
  EXPECT_EQ(time(361 * 60, 9, TimeForm::hundredths), "6,01");
  EXPECT_EQ(time(97 * 3600, 9, TimeForm::hundredths), "4d+1h");
  EXPECT_EQ(time(15 * 86400, 9, TimeForm::hundredths), "2w+1d");
  EXPECT_EQ(time(1768.74, 7, TimeForm::seconds), "29:28");
  EXPECT_EQ(time(5400, 7, TimeForm::minutes), "1,30");
  EXPECT_EQ(time(Absent::not_recorded, 7, TimeForm::minutes), "-");
}

TEST(TopFormat, NumbersAndTextAreCutWithAPlus) {
  EXPECT_EQ(whole(12345.0, 5), "12345");
  EXPECT_EQ(whole(123456.0, 5), "1234+");
  EXPECT_EQ(whole(-1.0, 5), "-1");
  EXPECT_EQ(cut("postgres", 8), "postgres");
  EXPECT_EQ(cut("systemd-resolve", 8), "systemd+");
  EXPECT_EQ(cut("müllerin1", 9), "müllerin1");
  EXPECT_EQ(cut("müllerin12", 9), "müllerin+") << "by columns, not bytes";
  EXPECT_EQ(cut("数据加载", 6), "数据+") << "a wide character that does not fit is left out";
}

}  // namespace
}  // namespace tacho::top
