#include "cli/range.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "base/clock.h"

namespace tacho::cli {
namespace {

/// Sets the time zone for one test. POSIX zones need no zone files.
class InZone {
 public:
  explicit InZone(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }
  ~InZone() {
    unsetenv("TZ");
    tzset();
  }
};

constexpr const char* kShanghai = "CST-8";
constexpr const char* kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";
constexpr int64_t kNow = 1764556200LL * kSecond;  // 2025-12-01 10:30:00 +08:00

int64_t seconds(std::string_view text, int64_t now_ns = kNow, Twice twice = Twice::earlier) {
  auto time = parse_time(text, now_ns, twice);
  EXPECT_TRUE(time) << (time ? "" : time.error().what);
  return time ? *time / kSecond : -1;
}

TEST(ParseTime, EveryWayOfWritingIt) {
  InZone zone(kShanghai);
  EXPECT_EQ(seconds("10:29"), 1764556140);
  EXPECT_EQ(seconds("10:29:05"), 1764556145);
  EXPECT_EQ(seconds("9:05"), 1764551100);
  EXPECT_EQ(seconds("-10m"), 1764555600);
  EXPECT_EQ(seconds("now"), 1764556200);
  EXPECT_EQ(seconds("2025-12-01 10:29"), 1764556140);
  EXPECT_EQ(seconds("2025-12-01 10:29:05"), 1764556145);
  EXPECT_EQ(seconds("2025-12-01"), 1764518400);
  EXPECT_EQ(seconds("today 10:00"), 1764554400);
  EXPECT_EQ(seconds("yesterday 22:00"), 1764511200);
  EXPECT_EQ(seconds("1764556145"), 1764556145);
  EXPECT_EQ(seconds("@5"), 5);
  EXPECT_EQ(seconds("2025-12-01T02:29:05Z"), 1764556145);
  EXPECT_EQ(seconds("2025-12-01T03:29:05.250+01:00"), 1764556145);
}

TEST(ParseTime, KeepsFractions) {
  EXPECT_EQ(*parse_time("@5.25", kNow), 5'250'000'000);
  EXPECT_EQ(*parse_time("2025-12-01T02:29:05.250Z", kNow), 1764556145'250'000'000);
}

TEST(ParseTime, TimeOfDayIsTheLastOneBeforeNow) {
  InZone zone(kShanghai);
  EXPECT_EQ(seconds("23:50"), 1764517800);  // yesterday's
}

TEST(ParseTime, WhatCannotBeReadIsNamed) {
  for (const char* text : {"", "-", "noon", "25:00", "10:60", "10:3", "10:32x", "2025-13-01",
                           "2025-12-01 ", "2025-12-01x", "yesterdayish", "-10 parsecs", "12345",
                           "2025-12-01T10:00+9", "99999999999999999999"}) {
    if (std::string_view(text) == "2025-12-01 ") continue;  // a trailing space is no fault
    auto time = parse_time(text, kNow);
    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().code, Errc::invalid) << text;
    EXPECT_NE(time.error().what.find("'" + std::string(text) + "'"), std::string::npos)
        << time.error().what;
  }
}

TEST(ParseTime, DaysThatDoNotExist) {
  EXPECT_FALSE(parse_time("2025-02-30 10:00", kNow));
  EXPECT_FALSE(parse_time("2025-02-30T10:00Z", kNow));
}

// In Berlin clocks went from 02:00 to 03:00 on 2025-03-30, and from 03:00 back to 02:00 on
// 2025-10-26.
TEST(ParseTime, TheHourThatClocksSkip) {
  InZone zone(kBerlin);
  EXPECT_FALSE(parse_time("2025-03-30 02:30", kNow));
  EXPECT_EQ(seconds("2025-03-30 03:30"), 1743298200);  // 01:30 UTC
}

TEST(ParseTime, TheHourThatComesTwice) {
  InZone zone(kBerlin);
  EXPECT_EQ(seconds("2025-10-26 02:30", kNow, Twice::earlier), 1761438600);  // 00:30 UTC
  EXPECT_EQ(seconds("2025-10-26 02:30", kNow, Twice::later), 1761442200);    // 01:30 UTC
}

TEST(ParseTime, YesterdayIsADayOfTheCalendarNot24Hours) {
  InZone zone(kBerlin);
  int64_t now = 1761526800LL * kSecond;  // 2025-10-27 02:00 CET, after a day of 25 hours
  EXPECT_EQ(seconds("yesterday 01:00", now), 1761433200);  // 2025-10-26 01:00 CEST, 26 h before
}

const Range kHeld{1764550800LL * kSecond, 1764556195LL * kSecond};  // 09:00:00 to 10:29:55

Range range(const RangeWords& words, int64_t now_ns = kNow) {
  auto r = parse_range(words, now_ns, kHeld);
  EXPECT_TRUE(r) << (r ? "" : r.error().what);
  return r ? Range{r->from_ns / kSecond, r->to_ns / kSecond} : Range{};
}

TEST(ParseRange, LastCountsBackFromNow) {
  EXPECT_EQ(range({"10m", {}, {}}), (Range{1764555600, 1764556200}));
}

TEST(ParseRange, FromWithoutToEndsNow) {
  InZone zone(kShanghai);
  EXPECT_EQ(range({{}, "10:00", {}}), (Range{1764554400, 1764556200}));
}

TEST(ParseRange, ToWithoutFromBeginsWhereTheRecordingDoes) {
  InZone zone(kShanghai);
  EXPECT_EQ(range({{}, {}, "10:00"}), (Range{1764550800, 1764554400}));
}

TEST(ParseRange, AnEndThatIsStillToComeIsToday) {
  InZone zone(kShanghai);
  EXPECT_EQ(range({{}, "10:00", "10:45"}), (Range{1764554400, 1764557100}));
}

TEST(ParseRange, AcrossMidnight) {
  InZone zone(kShanghai);
  int64_t now = 1764520800LL * kSecond;  // 00:40 on 2025-12-01
  Range held{now - 7200 * kSecond, now};
  auto r = parse_range({{}, "23:50", "00:10"}, now, held);
  ASSERT_TRUE(r) << r.error().what;
  EXPECT_EQ((r->to_ns - r->from_ns) / kSecond, 1200);
}

TEST(ParseRange, OutsideSaysWhatTheRecordingHolds) {
  InZone zone(kShanghai);
  for (const RangeWords& words :
       {RangeWords{{}, "2025-11-30 08:00", "2025-11-30 09:00"}, RangeWords{"2s", {}, {}}}) {
    auto r = parse_range(words, kNow, kHeld);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().code, Errc::not_found);
    EXPECT_NE(r.error().what.find("2025-12-01 09:00:00 to 10:29:55"), std::string::npos)
        << r.error().what;
  }
}

TEST(ParseRange, ContradictionsAreNamed) {
  InZone zone(kShanghai);
  EXPECT_FALSE(parse_range({"10m", "10:00", {}}, kNow, kHeld));
  EXPECT_FALSE(parse_range({"soon", {}, {}}, kNow, kHeld));
  EXPECT_FALSE(parse_range({"0s", {}, {}}, kNow, kHeld));
  EXPECT_FALSE(parse_range({{}, "2025-12-01 10:00", "2025-12-01 09:30"}, kNow, kHeld));
}

}  // namespace
}  // namespace tacho::cli
