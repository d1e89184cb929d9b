// Recordings written by the formats there have been, kept for ever: every build reads them, and
// reads the same. The values are those of make_recording.cpp, worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "recording/reader.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/host.h"
#include "schema/memory.h"
#include "schema/process.h"
#include "schema/recorder.h"

namespace tacho {
namespace {

constexpr int64_t kBegin = 1'800'000'001 * kSecond;  ///< of sample 1

class OldRecording : public ::testing::TestWithParam<std::string> {
 protected:
  OldRecording() : folder_(std::string(TACHO_SOURCE_DIR "/tests/recordings/") + GetParam()) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      files_.push_back(entry.path().filename());
  }
  ~OldRecording() override {
    size_t now = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      now += entry.exists() ? 1 : 0;
    EXPECT_EQ(now, files_.size()) << "reading writes nothing";
  }
  std::vector<SamplePtr> all() {
    cursor_ = *open_recording(folder_, Selection::all());
    std::vector<SamplePtr> samples;
    for (auto s = cursor_->first(); s && *s; s = cursor_->next())
      samples.push_back(*s);
    return samples;
  }
  static size_t row_of(const Rows& rows, Column column, std::string_view text) {
    for (size_t row = 0; row < rows.size(); ++row) {
      if (rows.text(row, column) == text) return row;
    }
    ADD_FAILURE() << "no " << text;
    return 0;
  }

  std::string folder_;
  std::vector<std::string> files_;
  std::unique_ptr<Cursor> cursor_;
};

TEST_P(OldRecording, HoldsWhatWasWritten) {
  auto contents = describe_recording(folder_);
  ASSERT_TRUE(contents) << contents.error().what;
  EXPECT_EQ(contents->samples, 65U);
  EXPECT_EQ(contents->from_ns, kBegin);
  EXPECT_EQ(contents->to_ns, kBegin + (64 + 100 + 600) * kSecond);
  EXPECT_TRUE(contents->gaps.empty());
  EXPECT_LT(contents->bytes, 60U << 10);
  auto samples = all();
  ASSERT_EQ(samples.size(), 65U);
  for (size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i]->number, i + 1);
    EXPECT_EQ(samples[i]->late_ns, static_cast<int64_t>((i + 1) % 7) * 1000);
  }
  EXPECT_EQ(samples[34]->clock, (Clocks{kBegin + 134 * kSecond, 1035 * kSecond, 1135 * kSecond}));
}

TEST_P(OldRecording, TellsItsGaps) {
  (void)all();
  auto gaps = cursor_->gaps();
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].why, "the machine was suspended");
  EXPECT_EQ(gaps[0].from_ns, kBegin + 29 * kSecond);
  EXPECT_EQ(gaps[0].to_ns, kBegin + 130 * kSecond);
  EXPECT_EQ(gaps[1].why, "no recorder was running");
  EXPECT_EQ(gaps[1].to_ns - gaps[1].from_ns, 601 * kSecond);
}

TEST_P(OldRecording, HasTheCountersAndGaugesOfEverySample) {
  uint64_t n = 0;
  for (const SamplePtr& sample : all()) {
    ++n;
    const Rows& cpu = *sample->rows(TableId::cpu);
    ASSERT_EQ(cpu.size(), 3U);
    EXPECT_EQ(cpu.read_ns, sample->clock.monotonic_ns + 2'000'000);
    EXPECT_EQ(cpu.cost_ns, 50'000);
    size_t second = row_of(cpu, schema::cpu["cpu"], "cpu1");
    EXPECT_EQ(cpu.at(second, schema::cpu["user"]).bits, n * 60 + 2);
    EXPECT_EQ(cpu.at(second, schema::cpu["system"]).bits, n * n);
    EXPECT_EQ(cpu.at(second, schema::cpu["steal"]).absent, Absent::not_supported);
    EXPECT_EQ(cpu.at(second, schema::cpu["iowait"]).absent, Absent::not_read);
    EXPECT_DOUBLE_EQ(*sample->rows(TableId::memory)->number(0, schema::memory["free"]),
                     static_cast<double>(9'000'000 - n * 1000) * 1024);
    EXPECT_EQ(sample->rows(TableId::recorder)->at(0, schema::recorder["cpu_time"]).bits, n * 700);
    EXPECT_EQ(sample->fresh(TableId::disk), n % 5 == 1);
    const Rows& host = *sample->rows(TableId::host);
    EXPECT_EQ(host.text(0, schema::host["name"]), "invented");
    EXPECT_EQ(sample->fresh(TableId::host), n == 1);
  }
}

TEST_P(OldRecording, HasDisksThatCameAndWent) {
  auto samples = all();
  auto disks = [&](size_t n) { return samples.at(n - 1)->rows(TableId::disk); };
  EXPECT_EQ(disks(6)->size(), 2U);
  EXPECT_EQ(disks(25)->size(), 1U);
  EXPECT_EQ(disks(25)->text(0, schema::disk["device"]), "sda");
  EXPECT_EQ(disks(25)->at(0, schema::disk["reads"]).bits, 21'000U) << "read at 21";
  EXPECT_EQ(disks(25)->at(0, schema::disk["read_time"]).bits, 0xffffff00U + 21);
  EXPECT_EQ(disks(43)->absent, Absent::timed_out);
  EXPECT_TRUE(disks(43)->empty());
  size_t back = row_of(*disks(46), schema::disk["device"], "sdb");
  EXPECT_EQ(disks(46)->at(back, schema::disk["reads"]).bits, 46U);
}

TEST_P(OldRecording, HasProcessesByPidAndStart) {
  auto samples = all();
  auto processes = [&](size_t n) { return samples.at(n - 1)->rows(TableId::process); };
  Column command = schema::process["command"];
  size_t train = row_of(*processes(25), command, "train.py");
  EXPECT_EQ(processes(25)->at(train, schema::process["start"]).bits, 100'500U);
  EXPECT_EQ(processes(25)->at(train, schema::process["user_time"]).bits, 2250U);
  EXPECT_EQ(processes(27)->size(), processes(26)->size());
  size_t eval = row_of(*processes(29), command, "eval.py");
  EXPECT_EQ(processes(29)->at(eval, schema::process["pid"]).bits, 4242U);
  EXPECT_EQ(processes(29)->at(eval, schema::process["user_time"]).bits, 50U);
  EXPECT_DOUBLE_EQ(*processes(29)->number(eval, schema::process["nice"]), -5);
  EXPECT_EQ(processes(29)->at(eval, schema::process["read_bytes"]).absent, Absent::no_permission);
  size_t worker = row_of(*processes(61), command, "loader\n训练");
  EXPECT_GE(processes(61)->at(worker, schema::process["pid"]).bits, 5000U);
}

TEST_P(OldRecording, HasItsMarkAndItsEvent) {
  auto samples = all();
  std::vector<std::string> events;
  for (const SamplePtr& sample : samples) {
    const Rows& rows = *sample->rows(TableId::event);
    if (!sample->fresh(TableId::event)) continue;
    for (size_t row = 0; row < rows.size(); ++row) {
      events.push_back(std::to_string(sample->number) + " " +
                       std::string(rows.text(row, schema::event["kind"])) + " " +
                       std::string(rows.text(row, schema::event["detail"])));
    }
  }
  EXPECT_EQ(events, (std::vector<std::string>{"12 mark epoch 3 begins", "60 oom_kill train.py"}));
}

TEST_P(OldRecording, IsFoundByTime) {
  cursor_ = *open_recording(folder_, {TableId::memory});
  EXPECT_EQ((*cursor_->at(kBegin + 10 * kSecond))->number, 11U);
  EXPECT_EQ((*cursor_->at(kBegin + 100 * kSecond))->number, 30U) << "while it was suspended";
  EXPECT_EQ((*cursor_->previous())->number, 29U);
  EXPECT_EQ((*cursor_->last())->number, 65U);
  EXPECT_EQ((*cursor_->at(0))->number, 1U);
}

INSTANTIATE_TEST_SUITE_P(Formats, OldRecording, ::testing::Values("format-1"),
                         [](const auto& format) {
                           std::string name = format.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tacho
