// Means over spans in which something happens to time.
#include <gtest/gtest.h>

#include "derive/span.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/host.h"

namespace tacho {
namespace {

constexpr Column kReads = schema::disk["reads"];

/// A machine whose clocks are moved by hand; its disk counts reads.
class Machine {
 public:
  SamplePtr sample() {
    auto made = std::make_shared<Sample>();
    made->number = ++number_;
    made->clock = now;
    auto pool = std::make_shared<TextPool>();
    auto disk = std::make_shared<Rows>(layout_of(TableId::disk), pool);
    disk->read_ns = now.monotonic_ns;
    disk->append();
    disk->set_text(0, schema::disk["device"], "sda");
    disk->set(0, kReads, reads);
    made->put(TableId::disk, disk);
    auto host = std::make_shared<Rows>(layout_of(TableId::host), pool);
    host->read_ns = now.monotonic_ns;
    host->append();
    host->set_text(0, schema::host["boot_id"], boot);
    made->put(TableId::host, host);
    return made;
  }
  SamplePtr after(int64_t seconds, uint64_t more_reads) {
    for (int64_t* clock : {&now.realtime_ns, &now.monotonic_ns, &now.boottime_ns})
      *clock += seconds * kSecond;
    reads += more_reads;
    return sample();
  }

  Clocks now{1'700'000'000 * kSecond, 1000 * kSecond, 1000 * kSecond};
  uint64_t reads = 0;
  std::string boot = "first";

 private:
  uint64_t number_ = 0;
};

class SpanOfTime : public ::testing::Test {
 protected:
  void add(const SamplePtr& sample) { builder_.add(sample); }
  Series reads() {
    span_ = builder_.finish();
    return span_.rate(kReads, "sda");
  }

  Machine machine_;
  SpanBuilder builder_{10 * kSecond};
  Span span_;
};

TEST_F(SpanOfTime, AWindowOverAGapIsATrueMeanOverItsTime) {
  add(machine_.sample());
  add(machine_.after(1, 100));
  add(machine_.after(98, 980));  // no sample for 98 s
  add(machine_.after(1, 100));
  Series series = reads();
  ASSERT_EQ(series.points().size(), 3U);
  EXPECT_DOUBLE_EQ(*series.points()[1].value, 10);
  EXPECT_DOUBLE_EQ(*series.mean(), 11.8) << "1180 reads in 100 s";
  EXPECT_DOUBLE_EQ(*series.max(), 100);
}

TEST_F(SpanOfTime, AClockSetForwardsWeighsNothing) {
  add(machine_.sample());
  add(machine_.after(1, 100));
  machine_.now.realtime_ns += 3600 * kSecond;
  add(machine_.after(1, 10));
  add(machine_.after(1, 100));
  EXPECT_DOUBLE_EQ(*reads().mean(), 70);
}

TEST_F(SpanOfTime, NorDoesOneSetBackwards) {
  add(machine_.sample());
  add(machine_.after(1, 100));
  machine_.now.realtime_ns -= 3600 * kSecond;
  add(machine_.after(1, 10));
  add(machine_.after(1, 100));
  Series series = reads();
  ASSERT_EQ(series.points().size(), 3U);
  EXPECT_DOUBLE_EQ(*series.mean(), 70);
  EXPECT_LT(span_.to_ns(), span_.from_ns()) << "as people's clock had it";
  EXPECT_DOUBLE_EQ(span_.interval_s(), 1);
}

TEST_F(SpanOfTime, ASuspendIsNoTimeInWhichAnythingCouldHappen) {
  add(machine_.sample());
  add(machine_.after(1, 100));
  machine_.now.realtime_ns += 7200 * kSecond;
  machine_.now.boottime_ns += 7200 * kSecond;
  add(machine_.after(1, 10));
  add(machine_.after(1, 100));
  Series series = reads();
  EXPECT_DOUBLE_EQ(*series.mean(), 70);
  EXPECT_DOUBLE_EQ(span_.windows()[1].suspended_seconds(), 7200);
  EXPECT_DOUBLE_EQ(span_.windows()[1].seconds(), 1);
}

TEST_F(SpanOfTime, AfterAnotherBootTheWindowBeginsAtThatBoot) {
  add(machine_.sample());
  add(machine_.after(1, 100));
  machine_.now = {machine_.now.realtime_ns + 100 * kSecond, 20 * kSecond, 20 * kSecond};
  machine_.boot = "second";
  machine_.reads = 40;
  add(machine_.sample());
  add(machine_.after(1, 5));
  Series series = reads();
  ASSERT_EQ(series.points().size(), 3U);
  EXPECT_TRUE(span_.windows()[1].is_since_boot());
  EXPECT_DOUBLE_EQ(*series.points()[1].value, 2) << "40 reads in the 20 s since boot";
  EXPECT_DOUBLE_EQ(series.points()[1].seconds, 20);
  EXPECT_DOUBLE_EQ(*series.mean(), (100 + 40 + 5) / 22.0);
}

TEST_F(SpanOfTime, ALaterBootWithALongerUptimeIsKnownByItsId) {
  add(machine_.sample());
  machine_.now.realtime_ns += 9000 * kSecond;
  machine_.now.monotonic_ns = machine_.now.boottime_ns = 5000 * kSecond;
  machine_.boot = "second";
  machine_.reads = 50'000;
  add(machine_.sample());
  EXPECT_DOUBLE_EQ(*reads().mean(), 10) << "not 50,000 reads in the 4,000 s between the uptimes";
}

}  // namespace
}  // namespace tacho
