#include "recorder/schedule.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

/// A machine whose MONOTONIC began at REALTIME 1,000,000,003 s.
class Scheduled : public ::testing::Test {
 protected:
  static constexpr int64_t kOffset = 1'000'000'003 * kSecond;
  Clocks at(double seconds, int64_t offset = kOffset) {
    auto ns = static_cast<int64_t>(seconds * 1e9);
    return {ns + offset, ns, ns};
  }
  Schedule schedule_{10 * kSecond};
};

TEST_F(Scheduled, TheFirstSampleIsDueAtOnceAndLaterOnesAtMultiplesOfRealtime) {
  schedule_.start(at(5));
  EXPECT_EQ(schedule_.due_ns(), 5 * kSecond);
  EXPECT_EQ(schedule_.begin(at(5)).late_ns, 0);
  // MONOTONIC 17 s is REALTIME 1,000,000,020 s.
  EXPECT_EQ(schedule_.due_ns(), 17 * kSecond);
  schedule_.begin(at(17));
  EXPECT_EQ(schedule_.due_ns(), 27 * kSecond);
}

TEST_F(Scheduled, ASampleThatBeginsLateDoesNotPushTheNextOnesBack) {
  schedule_.start(at(7));
  schedule_.begin(at(7));
  Schedule::Tick tick = schedule_.begin(at(17.25));
  EXPECT_EQ(tick.late_ns, 250 * kMillisecond);
  EXPECT_EQ(tick.missed, 0U);
  EXPECT_EQ(schedule_.due_ns(), 27 * kSecond);
}

TEST_F(Scheduled, ATimerThatFiresEarlyGivesNoSecondSampleForTheSameMoment) {
  schedule_.start(at(7));
  schedule_.begin(at(7));
  EXPECT_EQ(schedule_.begin(at(16.9999)).late_ns, 0);
  EXPECT_EQ(schedule_.due_ns(), 27 * kSecond);
}

TEST_F(Scheduled, AfterAStallItGoesOnFromNowAndCountsWhatWasMissed) {
  schedule_.start(at(7));
  schedule_.begin(at(7));
  // Due at 17; those of 27 and 37 are never taken.
  Schedule::Tick tick = schedule_.begin(at(41));
  EXPECT_EQ(tick.late_ns, 24 * kSecond);
  EXPECT_EQ(tick.missed, 2U);
  EXPECT_EQ(schedule_.due_ns(), 47 * kSecond);
}

TEST_F(Scheduled, AStallOfExactlyOneIntervalHasMissedOne) {
  schedule_.start(at(7));
  schedule_.begin(at(7));
  Schedule::Tick tick = schedule_.begin(at(27));
  EXPECT_EQ(tick.missed, 1U);
  EXPECT_EQ(schedule_.due_ns(), 37 * kSecond);
}

TEST_F(Scheduled, ASuspendMakesNothingLate) {
  schedule_.start(at(7));
  schedule_.begin(at(7));
  // MONOTONIC stood still for 3,604 s while REALTIME went on.
  Schedule::Tick tick = schedule_.begin(at(17, kOffset + 3604 * kSecond));
  EXPECT_EQ(tick.late_ns, 0);
  EXPECT_EQ(tick.missed, 0U);
  // REALTIME …024 at 17 s, so …030 is at 23 s: the nearest to the nominal 27 s.
  EXPECT_EQ(schedule_.due_ns(), 23 * kSecond);
}

TEST_F(Scheduled, AClockThatIsSetBackOrForwardMakesOneIntervalLongerOrShorterByHalf) {
  for (int64_t set = -50; set <= 50; ++set) {
    Schedule schedule(10 * kSecond);
    schedule.start(at(7));
    schedule.begin(at(7));
    schedule.begin(at(17, kOffset + set * kSecond));
    EXPECT_GE(schedule.due_ns(), 22 * kSecond) << set;
    EXPECT_LE(schedule.due_ns(), 32 * kSecond) << set;
    EXPECT_EQ((schedule.due_ns() + kOffset + set * kSecond) % (10 * kSecond), 0) << set;
  }
}

TEST_F(Scheduled, Before1970ItIsAlignedToo) {
  schedule_.start(at(7, -1000 * kSecond));
  schedule_.begin(at(7, -1000 * kSecond));
  EXPECT_EQ(schedule_.due_ns(), 20 * kSecond);
}

TEST_F(Scheduled, OverADriftingClockNothingIsDoubledOrMissed) {
  // REALTIME runs 500 ppm fast, which is the most that adjtimex(2) allows.
  schedule_.start(at(7));
  int64_t now = 7 * kSecond;
  uint64_t missed = 0;
  for (int i = 0; i < 100'000; ++i) {
    Clocks clocks{kOffset + now + now / 2000, now, now};
    missed += schedule_.begin(clocks).missed;
    ASSERT_GT(schedule_.due_ns(), now + 4 * kSecond);
    ASSERT_LT(schedule_.due_ns(), now + 16 * kSecond);
    now = schedule_.due_ns() + 50'000;
  }
  EXPECT_EQ(missed, 0U);
  // 1,000,000 s of REALTIME have passed, to the interval.
  EXPECT_NEAR(static_cast<double>(now + now / 2000) / 1e9, 1'000'007, 10);
}

}  // namespace
}  // namespace tacho
