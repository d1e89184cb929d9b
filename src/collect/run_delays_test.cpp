#include "collect/run_delays.h"

#include <gtest/gtest.h>

#include <vector>

#include "collect/collector.h"
#include "host/test_root.h"
#include "schema/process.h"

namespace tacho {
namespace {

constexpr ProcessId kProcess{77, 500};

using Live = std::vector<ThreadDelay>;

TEST(RunDelays, AThreadThatEndedStaysInTheSum) {
  RunDelays delays;
  EXPECT_EQ(delays.update(kProcess, Live{{77, 10}, {78, 100}, {79, 1000}}), 1110U);
  EXPECT_EQ(delays.update(kProcess, Live{{77, 11}, {79, 1004}}), 1115U);
  EXPECT_EQ(delays.update(kProcess, Live{{77, 11}}), 1115U);
  EXPECT_EQ(delays.update(kProcess, Live{{77, 12}, {80, 7}}), 1123U) << "7 of a new thread";
}

TEST(RunDelays, AThreadIdThatWasGivenToAnotherThreadCountsForBoth) {
  RunDelays delays;
  EXPECT_EQ(delays.update(kProcess, Live{{77, 10}, {78, 100}}), 110U);
  EXPECT_EQ(delays.update(kProcess, Live{{77, 10}, {78, 3}}), 113U);
}

TEST(RunDelays, AnotherProcessOfThePidBeginsAnew) {
  RunDelays delays;
  delays.update(kProcess, Live{{77, 10}, {78, 100}});
  ProcessId other{77, 900};
  EXPECT_FALSE(delays.knows(other));
  EXPECT_EQ(delays.update(other, Live{{77, 1}, {81, 2}}), 3U);
}

TEST(RunDelays, GoesOnFromWhatWasToldBefore) {
  RunDelays delays;
  delays.continue_from(kProcess, Live{{77, 10}, {78, 100}}, 10);
  EXPECT_EQ(delays.update(kProcess, Live{{77, 10}, {78, 100}}), 10U);
  EXPECT_EQ(delays.update(kProcess, Live{{77, 15}, {78, 130}}), 45U);
  EXPECT_EQ(delays.update(kProcess, Live{{77, 15}}), 45U);
}

TEST(RunDelays, KeepsNothingOfProcessesThatAreGone) {
  RunDelays delays;
  delays.update(kProcess, Live{{77, 10}});
  delays.forget_the_rest();
  EXPECT_TRUE(delays.knows(kProcess));
  delays.forget_the_rest();
  EXPECT_FALSE(delays.knows(kProcess));
}

/// A machine with one process, whose threads have waited as long as given.
class OneProcess : public ::testing::Test {
 protected:
  OneProcess() { root_.write("proc/uptime", "1000.00 1000.00\n"); }

  void threads(const Live& live) {
    root_.remove("proc/77/task");
    std::string count = std::to_string(live.size());
    root_.write("proc/77/stat", "77 (train) S 1 77 77 0 -1 0 0 0 0 0 5 5 0 0 20 0 " + count +
                                    " 0 500 4096 8 18446744073709551615 0 0");
    for (const ThreadDelay& thread : live) {
      std::string line =
          std::to_string(ran_ += 100) + " " + std::to_string(thread.delay_ns) + " 3\n";
      root_.write("proc/77/task/" + std::to_string(thread.tid) + "/schedstat", line);
      if (thread.tid == 77) root_.write("proc/77/schedstat", line);
    }
  }
  uint64_t delay() {
    auto sample = collector_.collect();
    const Rows& rows = *sample->rows(TableId::process);
    EXPECT_EQ(rows.size(), 1U);
    return rows.at(0, schema::process["run_delay"]).bits;
  }

  TestRoot root_;
  uint64_t ran_ = 0;
  Collector collector_{root_.machine(), {TableId::process}};
};

TEST_F(OneProcess, OfTheTreeTheThreadsAreAddedUpAndTheSumNeverFalls) {
  collector_.watch_list().add_pid(77);
  threads({{77, 10}});
  EXPECT_EQ(delay(), 10U);
  threads({{77, 12}, {78, 100}, {79, 200}});
  EXPECT_EQ(delay(), 312U);
  threads({{77, 13}, {78, 150}});
  EXPECT_EQ(delay(), 363U);
  threads({{77, 14}});
  EXPECT_EQ(delay(), 364U) << "with one thread again it is still the sum";
}

TEST_F(OneProcess, WatchedLaterItsCounterDoesNotLeap) {
  threads({{77, 10}, {78, 1000}});
  EXPECT_EQ(delay(), 10U) << "not watched: the leader's alone";
  collector_.watch_list().add_pid(77);
  threads({{77, 15}, {78, 1100}});
  EXPECT_EQ(delay(), 15U);
  threads({{77, 16}, {78, 1300}});
  EXPECT_EQ(delay(), 216U);
}

}  // namespace
}  // namespace tacho
