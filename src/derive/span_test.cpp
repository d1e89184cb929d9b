// Spans against values computed by hand.
#include "derive/span.h"

#include <gtest/gtest.h>

#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/memory.h"
#include "schema/process.h"
#include "schema/recorder.h"
#include "schema/system.h"

namespace tacho {
namespace {

constexpr int64_t kBoot = 1'700'000'000 * kSecond;

int64_t realtime(double seconds) {
  return kBoot + static_cast<int64_t>(seconds * 1e9);
}

/// A sample at `seconds` after boot; tables are put in by hand.
struct At {
  explicit At(double seconds) : sample(std::make_shared<Sample>()) {
    auto ns = static_cast<int64_t>(seconds * 1e9);
    sample->clock = {kBoot + ns, ns, ns};
  }
  Rows& table(TableId id) {
    if (sample->rows(id) == nullptr) {
      auto rows = std::make_shared<Rows>(layout_of(id), std::make_shared<TextPool>());
      rows->read_ns = sample->clock.monotonic_ns;
      sample->put(id, std::move(rows));
    }
    return const_cast<Rows&>(*sample->rows(id));
  }
  At& reads(std::string_view device, uint64_t reads) {
    Rows& rows = table(TableId::disk);
    size_t row = rows.append();
    rows.set_text(row, schema::disk["device"], device);
    rows.set(row, schema::disk["reads"], reads);
    return *this;
  }
  At& running(uint64_t tasks) {
    Rows& rows = table(TableId::system);
    rows.set(rows.append(), schema::system["running"], tasks);
    return *this;
  }
  At& process(uint64_t pid, uint64_t start_ticks, uint64_t user_ticks, uint64_t delay_ms) {
    Rows& rows = table(TableId::process);
    size_t row = rows.append();
    rows.set(row, schema::process["pid"], pid);
    rows.set(row, schema::process["start"], start_ticks);
    rows.set_text(row, schema::process["command"], "p" + std::to_string(pid));
    rows.set(row, schema::process["user_time"], user_ticks);
    rows.set(row, schema::process["system_time"], 0);
    rows.set(row, schema::process["run_delay"], delay_ms * 1'000'000);
    rows.set(row, schema::process["watched"], 0);
    return *this;
  }
  At& cpus(int count) {
    Rows& rows = table(TableId::cpu);
    for (int i = -1; i < count; ++i) {
      size_t row = rows.append();
      rows.set_text(row, schema::cpu["cpu"], i < 0 ? "cpu" : "cpu" + std::to_string(i));
    }
    return *this;
  }
  At& event(double seconds, std::string_view kind, std::string_view subject) {
    Rows& rows = table(TableId::event);
    size_t row = rows.append();
    rows.set(row, schema::event["time"], static_cast<uint64_t>(realtime(seconds) / 1000));
    rows.set_text(row, schema::event["kind"], kind);
    rows.set_text(row, schema::event["subject"], subject);
    return *this;
  }
  std::shared_ptr<Sample> sample;
};

template <typename... Samples>
Span span_of(int64_t expected_ns, const Samples&... samples) {
  SpanBuilder builder(expected_ns);
  (builder.add(samples.sample), ...);
  return builder.finish();
}

Series series_of(const std::vector<double>& values) {
  Series series;
  for (size_t i = 0; i < values.size(); ++i) {
    Number value = values[i] < 0 ? Number(Absent::no_permission) : Number(values[i]);
    series.add(
        {static_cast<int64_t>(i) * kSecond, static_cast<int64_t>(i + 1) * kSecond, 1, value});
  }
  return series;
}
bool high(double value) {
  return value >= 50;
}

TEST(Series, TheMeanIsOverTimeAndOverWhatIsKnown) {
  Series series;
  series.add({0, 1 * kSecond, 1, 10.0});
  series.add({1 * kSecond, 4 * kSecond, 3, 50.0});
  series.add({4 * kSecond, 90 * kSecond, 86, Absent::timed_out});
  EXPECT_DOUBLE_EQ(*series.mean(), 40) << "(10 × 1 s + 50 × 3 s) / 4 s";
  EXPECT_DOUBLE_EQ(*series.max(), 50);
}

TEST(Series, OfNothingKnownThereIsNoMeanButAReason) {
  Series series;
  EXPECT_EQ(series.mean().absent, Absent::not_read);
  series.add({0, kSecond, 1, Absent::no_permission});
  EXPECT_EQ(series.mean().absent, Absent::no_permission);
  EXPECT_EQ(series.max().absent, Absent::no_permission);
  EXPECT_EQ(series.count(high), 0U);
  EXPECT_FALSE(series.since(high));
}

TEST(Series, CountsWindowsAndFindsWhereTheLastRunBegan) {
  Series series = series_of({60, 70, 10, 80, 90, -1});
  EXPECT_EQ(series.count(high), 4U);
  EXPECT_EQ(series.since(high), 3 * kSecond);
  EXPECT_EQ(series.since(high, 1), 0) << "one other window is only a pause";
  EXPECT_FALSE(series_of({1, 2}).since(high));
}

TEST(Series, ALongPauseEndsARun) {
  Series series = series_of({60, 70, 10, -1, 10, 80, 10, 90});
  EXPECT_EQ(series.since(high, 2), 5 * kSecond);
  EXPECT_EQ(series.since(high, 3), 0);
}

TEST(Span, AWindowPerSampleAtASecond) {
  Span span = span_of(3 * kSecond, At(10).reads("sda", 0), At(11).reads("sda", 100),
                      At(12.95).reads("sda", 178), At(14).reads("sda", 178));
  ASSERT_EQ(span.windows().size(), 3U);
  EXPECT_EQ(span.samples(), 4U);
  EXPECT_EQ(span.from_ns(), realtime(10));
  EXPECT_EQ(span.to_ns(), realtime(14));
  EXPECT_DOUBLE_EQ(span.interval_s(), 4.0 / 3);
  Series reads = span.rate(schema::disk["reads"], "sda");
  ASSERT_EQ(reads.points().size(), 3U);
  EXPECT_DOUBLE_EQ(*reads.points()[0].value, 100);
  EXPECT_DOUBLE_EQ(*reads.points()[1].value, 40) << "78 in 1.95 s";
  EXPECT_DOUBLE_EQ(*reads.points()[2].value, 0);
  EXPECT_DOUBLE_EQ(*reads.mean(), 178.0 / 4);
}

TEST(Span, FastSamplesShareWindowsOfASecond) {
  SpanBuilder builder(2 * kSecond);
  for (int i = 0; i <= 20; ++i)
    builder.add(At(10 + i * 0.1).reads("sda", static_cast<uint64_t>(i) * 5).sample);
  Span span = builder.finish();
  EXPECT_EQ(span.samples(), 21U);
  EXPECT_NEAR(span.interval_s(), 0.1, 1e-9);
  EXPECT_LE(span.windows().size(), 3U);
  Series reads = span.rate(schema::disk["reads"], "sda");
  for (const auto& point : reads.points())
    EXPECT_NEAR(*point.value, 50, 1e-6);
}

TEST(Span, LongOnesHaveAtMost120WindowsOrSo) {
  SpanBuilder builder(3600 * kSecond);
  for (int i = 0; i <= 3600; ++i)
    builder.add(At(10 + i).reads("sda", static_cast<uint64_t>(i)).sample);
  Span span = builder.finish();
  EXPECT_GE(span.windows().size(), 100U);
  EXPECT_LE(span.windows().size(), 135U);
  EXPECT_DOUBLE_EQ(*span.rate(schema::disk["reads"], "sda").mean(), 1);
}

TEST(Span, AGaugeIsTheMeanOfAllSamplesNotOfTheWindowsEnds) {
  Span span = span_of(2 * kSecond, At(10).running(99), At(10.5).running(1), At(11).running(3),
                      At(11.5).running(8), At(12).running(4));
  ASSERT_EQ(span.windows().size(), 2U);
  Series running = span.gauge(schema::system["running"]);
  EXPECT_DOUBLE_EQ(*running.points()[0].value, 2)
      << "the sample at the very beginning is not in it";
  EXPECT_DOUBLE_EQ(*running.points()[1].value, 6);
}

TEST(Span, ADeviceThatIsGoneIsAbsentAndOneThatCameHasCountedFromZero) {
  Span span = span_of(3 * kSecond, At(10).reads("sda", 0), At(11).reads("sda", 10).reads("sdb", 5),
                      At(12).reads("sdb", 25));
  Series sda = span.rate(schema::disk["reads"], "sda");
  EXPECT_DOUBLE_EQ(*sda.points()[0].value, 10);
  EXPECT_EQ(sda.points()[1].value.absent, Absent::gone);
  Series sdb = span.rate(schema::disk["reads"], "sdb");
  EXPECT_DOUBLE_EQ(*sdb.points()[0].value, 5);
  EXPECT_DOUBLE_EQ(*sdb.points()[1].value, 20);
  EXPECT_EQ(span.instances(TableId::disk), (std::vector<std::string>{"sdb", "sda"}));
}

TEST(Span, ATableThatNobodyReadIsAbsentWithThatReason) {
  Span span = span_of(kSecond, At(10).reads("sda", 0), At(11).reads("sda", 1));
  EXPECT_EQ(span.figure("cpu.busy_share", "cpu").mean().absent, Absent::not_read);
  EXPECT_EQ(span.gauge(schema::memory["available"]).mean().absent, Absent::not_read);
  EXPECT_TRUE(span.figure("no.such_figure").points().empty());
}

TEST(Span, CpusAreCountedAtTheEnd) {
  EXPECT_EQ(span_of(kSecond, At(10).cpus(4), At(11).cpus(480)).cpus(), 480);
  EXPECT_EQ(span_of(kSecond, At(10).cpus(1), At(11).cpus(1)).cpus(), 1);
  EXPECT_EQ(span_of(kSecond, At(10), At(11)).cpus(), 0);
}

TEST(Span, ProcessesHaveTheirCpuAndTheirWaitingTheBusiestFirst) {
  Span span =
      span_of(2 * kSecond, At(10).process(7, 500, 100, 1000).process(8, 600, 0, 0),
              At(11).process(7, 500, 120, 1300).process(8, 600, 0, 0),
              At(12).process(7, 500, 130, 1300).process(8, 600, 0, 0).process(9, 1150, 80, 5));
  ASSERT_EQ(span.processes().size(), 2U) << "process 8 did nothing";
  const ProcessSpan& nine = span.processes()[0];
  EXPECT_EQ(nine.pid, 9U);
  EXPECT_EQ(nine.command, "p9");
  EXPECT_DOUBLE_EQ(*nine.cpu.mean(), 80) << "born in the window: all it used is of it";
  const ProcessSpan& seven = span.processes()[1];
  EXPECT_EQ(seven.pid, 7U);
  ASSERT_EQ(seven.cpu.points().size(), 2U);
  EXPECT_DOUBLE_EQ(*seven.cpu.points()[0].value, 20);
  EXPECT_DOUBLE_EQ(*seven.cpu.points()[1].value, 10);
  EXPECT_DOUBLE_EQ(*seven.wait.points()[0].value, 30) << "300 ms in a second";
  EXPECT_DOUBLE_EQ(*seven.wait.points()[1].value, 0);
  EXPECT_FALSE(span.has_watched());
}

TEST(Span, EventsStandOnceAlsoWhereATableIsCarriedOn) {
  At first(10);
  At second = At(11).event(10.5, "oom_kill", "train");
  At third(12);
  third.sample->carry(TableId::event, second.sample->rows_ptr(TableId::event));
  Span span = span_of(2 * kSecond, first, second, third);
  ASSERT_EQ(span.events().size(), 1U);
  EXPECT_EQ(span.events()[0].realtime_ns, realtime(10.5));
  EXPECT_EQ(span.events()[0].kind, "oom_kill");
  EXPECT_EQ(span.events()[0].subject, "train");
}

TEST(Span, OfOneSampleOrNoneIsEmpty) {
  EXPECT_TRUE(span_of(kSecond).empty());
  Span one = span_of(kSecond, At(10).reads("sda", 1));
  EXPECT_TRUE(one.empty());
  EXPECT_EQ(one.interval_s(), 0);
  EXPECT_EQ(one.cpus(), 0);
}

}  // namespace
}  // namespace tacho
