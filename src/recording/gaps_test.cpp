// What is missing from a recording is told, from when to when and why; and nothing else is.
#include "base/file.h"
#include "recording/index.h"
#include "recording/recording_test.h"
#include "recording/tail.h"
#include "schema/recorder.h"

namespace tacho {
namespace {

/// Samples of a recorder that can be killed, held up or put to sleep between two of them.
class Paced {
 public:
  explicit Paced(int64_t interval_ns) : interval_ns_(interval_ns) {}

  SamplePtr next() {
    for (int64_t* clock : {&now_.realtime_ns, &now_.monotonic_ns, &now_.boottime_ns})
      *clock += interval_ns_;
    auto sample = std::make_shared<Sample>();
    sample->clock = now_;
    sample->late_ns = std::exchange(late_ns_, 0);
    auto rows = std::make_shared<Rows>(layout_of(TableId::recorder), std::make_shared<TextPool>());
    rows->read_ns = now_.monotonic_ns;
    rows->append();
    rows->set(0, schema::recorder["interval"], static_cast<uint64_t>(interval_ns_ / 1000));
    sample->put(TableId::recorder, rows);
    return sample;
  }
  void pass(int64_t ns) {
    now_.realtime_ns += ns;
    now_.monotonic_ns += ns;
    now_.boottime_ns += ns;
  }
  void hold_up(int64_t ns) {
    pass(ns);
    late_ns_ = ns;
  }
  void suspend(int64_t ns) {
    now_.realtime_ns += ns;
    now_.boottime_ns += ns;
  }
  void set_clock(int64_t by_ns) { now_.realtime_ns += by_ns; }
  void reboot() {
    now_.realtime_ns += 60 * kSecond;
    now_.monotonic_ns = now_.boottime_ns = 30 * kSecond;
  }
  [[nodiscard]] int64_t realtime_ns() const { return now_.realtime_ns; }

 private:
  int64_t interval_ns_;
  int64_t late_ns_ = 0;
  Clocks now_{1'700'000'000 * kSecond, 1000 * kSecond, 1000 * kSecond};
};

class Gaps : public Recording {
 protected:
  void append(Writer& writer, size_t count) {
    for (size_t i = 0; i < count; ++i)
      ASSERT_TRUE(writer.append(*machine_.next()));
  }
  /// The gaps that walking over the recording finds, and asserts that status finds the same.
  std::vector<Gap> walk() {
    std::vector<Gap> gaps;
    (void)read_all(&gaps);
    auto listed = recorded_gaps(folder_);
    EXPECT_TRUE(listed);
    EXPECT_EQ(listed->size(), gaps.size());
    for (size_t i = 0; listed && i < std::min(gaps.size(), listed->size()); ++i) {
      EXPECT_EQ((*listed)[i].why, gaps[i].why);
      EXPECT_EQ((*listed)[i].from_ns, gaps[i].from_ns);
    }
    return gaps;
  }

  Paced machine_{kSecond};
};

TEST_F(Gaps, ARecorderThatWasKilledLeavesOne) {
  auto out = writer();
  append(*out, 20);
  out.reset();  // as killed
  int64_t from = machine_.realtime_ns();
  machine_.pass(300 * kSecond);
  out = writer();
  append(*out, 20);
  auto gaps = walk();
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].from_ns, from);
  EXPECT_EQ(gaps[0].to_ns, from + 301 * kSecond);
  EXPECT_EQ(gaps[0].why, "no recorder was running");
  EXPECT_NE(describe(gaps[0]).find("(301 s): no recorder was running"), std::string::npos);
}

TEST_F(Gaps, ASuspendAndARecorderHeldUpAreToldApart) {
  auto out = writer();
  append(*out, 10);
  machine_.suspend(3600 * kSecond);
  append(*out, 10);
  machine_.hold_up(40 * kSecond);
  append(*out, 10);
  auto gaps = walk();
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].why, "the machine was suspended");
  EXPECT_EQ(gaps[0].to_ns - gaps[0].from_ns, 3601 * kSecond);
  EXPECT_EQ(gaps[1].why, "the recorder was held up");
  EXPECT_EQ(gaps[1].to_ns - gaps[1].from_ns, 41 * kSecond);
}

TEST_F(Gaps, ARebootIsOneHoweverShort) {
  auto out = writer();
  append(*out, 10);
  out.reset();
  machine_.reboot();
  out = writer();
  append(*out, 10);
  auto gaps = walk();
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].why, "the machine was started anew");
}

TEST_F(Gaps, AClockThatIsSetLeavesNone) {
  auto out = writer();
  append(*out, 10);
  machine_.set_clock(3600 * kSecond);
  append(*out, 10);
  machine_.set_clock(-7200 * kSecond);
  append(*out, 10);
  EXPECT_TRUE(walk().empty());
  ASSERT_TRUE(out->close());
  EXPECT_TRUE(walk().empty());
}

TEST_F(Gaps, ALateSampleOrTwoThatWereMissedAreNone) {
  auto out = writer();
  append(*out, 10);
  machine_.hold_up(2 * kSecond + kSecond / 2);
  append(*out, 10);
  EXPECT_TRUE(walk().empty());
}

TEST_F(Gaps, AnotherIntervalIsNone) {
  auto out = writer();
  append(*out, 10);
  out.reset();
  machine_ = Paced(10 * kSecond);
  options_.interval_ns = 10 * kSecond;
  machine_.pass(10 * kSecond);
  out = writer();
  append(*out, 10);
  EXPECT_EQ(walk().size(), 1U) << "the 20 s without a sample, at 1 s";
  machine_.pass(15 * kSecond);
  append(*out, 3);
  EXPECT_EQ(walk().size(), 1U) << "at 10 s these are no gap";
}

TEST_F(Gaps, SamplesThatWereLostAreNamed) {
  auto out = writer();
  append(*out, 300);
  append(*out, 300);
  append(*out, 5);  // chunks of 1 to 300 and 301 to 600, and a tail
  auto list = *list_folder(folder_);
  std::string segment = folder_ + "/" + list.segments.at(0);
  auto entries = *load_index(folder_, list.segments[0], nullptr);
  ASSERT_EQ(entries.size(), 2U);
  // As a copy lacks it that was made before the chunk was written, and ended after the next tail.
  std::filesystem::resize_file(segment, entries[1].offset);
  std::vector<Gap> gaps;
  EXPECT_EQ(read_all(&gaps).size(), 305U);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].why, "samples 301 to 600 are missing");
  EXPECT_EQ(gaps[0].to_ns - gaps[0].from_ns, 301 * kSecond);
  EXPECT_EQ(recorded_gaps(folder_)->at(0).why, gaps[0].why);
}

TEST_F(Gaps, DamageIsToldOnceWithItsSpan) {
  auto out = writer();
  append(*out, 905);
  auto list = *list_folder(folder_);
  std::string segment = folder_ + "/" + list.segments.at(0);
  auto entries = *load_index(folder_, list.segments[0], nullptr);
  std::string bytes = *read_file(segment);
  bytes[entries[1].offset + 200] ^= 1;
  ASSERT_TRUE(replace_file(segment, bytes));
  std::vector<Gap> gaps;
  EXPECT_EQ(read_all(&gaps).size(), 605U);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_NE(gaps[0].why.find("checksum"), std::string::npos) << gaps[0].why;
  EXPECT_EQ(gaps[0].from_ns, entries[1].first_realtime_ns);
  EXPECT_EQ(gaps[0].to_ns, entries[1].last_realtime_ns());
}

}  // namespace
}  // namespace tacho
