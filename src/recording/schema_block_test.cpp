// Recordings of other builds: what this one does not know harms nothing, what it knows is right.
#include "recording/schema_block.h"

#include <fstream>

#include "base/bytes.h"
#include "base/file.h"
#include "recording/chunk.h"
#include "recording/format.h"
#include "recording/index.h"
#include "recording/recording_test.h"
#include "recording/tail.h"
#include "schema/cpu.h"

namespace tacho {
namespace {

TEST(OwnColumn, IsFoundByTheNameAMetricOnceHad) {
  static constexpr Source kNone{"none", Shape::keyed};
  static constexpr auto invented =
      table(TableId::disk, "disk", "", kEverySample,
            {
                text_key("device", from(kNone.key("d")), ""),
                counter("reads_done", unit::count, from(kNone.key("r")), "").was("reads"),
                text("model", from(kNone.key("m")), "").was("name"),
            });
  TableView view = invented.view();
  auto column = [](const char* name, Type type) {
    return ColumnInfo{name, Kind::counter, type, unit::count};
  };
  EXPECT_EQ(own_column(view, column("reads", Type::u64)), 1);
  EXPECT_EQ(own_column(view, column("reads_done", Type::u64)), 1);
  EXPECT_EQ(own_column(view, column("name", Type::text)), 2);
  EXPECT_EQ(own_column(view, column("name", Type::u64)), std::nullopt) << "no longer a text";
  EXPECT_EQ(own_column(view, column("writes", Type::u64)), std::nullopt);
}

/// A recording by a build that has the table `weather`, a column cpu.warp before cpu.user, and
/// counts cpu.system in milliseconds.
class NewerBuild : public Recording {
 protected:
  NewerBuild() {
    Unit ms{Dimension::seconds, 1, 1000};
    RecordedSchema made{
        {"weather",
         {{"place", Kind::key, Type::text, unit::count},
          {"rain", static_cast<Kind>(77), static_cast<Type>(99), unit::count}},
         {},
         {},
         {}},
        {"cpu",
         {{"cpu", Kind::key, Type::text, unit::count},
          {"warp", Kind::counter, Type::u64, ms},
          {"user", Kind::counter, Type::u64, layout_of(TableId::cpu)->columns[1].unit},
          {"system", Kind::counter, Type::u64, ms}},
         {},
         {},
         {}}};
    schema_ = std::make_shared<RecordedSchema>(*decode_schema(encode_schema(made)));
    EXPECT_TRUE(write_format(folder_, 0600));
  }
  /// Sample `number`: rain 10 × number, warp 1000 + number, user 2000 + number, system 3 × number.
  SampleDelta delta(uint64_t number) {
    SampleDelta d;
    d.number = number;
    auto ns = static_cast<int64_t>(number) * kSecond;
    d.clock = {1'700'000'000 * kSecond + ns, ns, ns};
    TableDelta weather;
    weather.table = 0;
    weather.read_ns = ns;
    TableDelta cpu = weather;
    cpu.table = 1;
    if (number == first_) {
      d.texts = {"here", "cpu"};
      weather.birth_cells = {1, 10 * number};
      cpu.birth_cells = {2, 1000 + number, 2000 + number, 3 * number};
      weather.birth_reasons.assign(2, Absent::no);
      cpu.birth_reasons.assign(4, Absent::no);
    } else {
      weather.changes = {{0, 1, 10}};
      cpu.changes = {{0, 1, 1}, {0, 2, 1}, {0, 3, 3}};
    }
    d.tables = {weather, cpu};
    return d;
  }
  void write_chunk(uint64_t from, uint64_t to) {
    first_ = from;
    ChunkBuilder builder(schema_);
    for (uint64_t n = from; n <= to; ++n)
      builder.add(delta(n));
    std::ofstream(folder_ + "/" + segment_name(from, 0), std::ios::binary)
        << file_header(kSegmentMagic, *schema_) << builder.finish();
  }
  void write_tail(uint64_t from, uint64_t to) {
    first_ = from;
    std::ofstream out(folder_ + "/" + tail_name(from), std::ios::binary);
    out << file_header(kTailMagic, *schema_);
    for (uint64_t n = from; n <= to; ++n)
      out << encode_frame(delta(n), *schema_);
  }
  /// Reads `count` samples and looks at all they hold.
  void expect_samples(uint64_t count) {
    auto cursor = *open_recording(folder_, Selection::all());
    uint64_t n = 0;
    for (auto s = cursor->first(); s && *s; s = cursor->next()) {
      ++n;
      const Rows& cpu = *(*s)->rows(TableId::cpu);
      ASSERT_EQ(cpu.size(), 1U);
      EXPECT_EQ(cpu.text(0, schema::cpu["cpu"]), "cpu");
      EXPECT_EQ(cpu.at(0, schema::cpu["user"]).bits, 2000 + n);
      EXPECT_DOUBLE_EQ(*cpu.number(0, schema::cpu["system"]), static_cast<double>(3 * n) / 1000);
      EXPECT_EQ(cpu.at(0, schema::cpu["idle"]).absent, Absent::not_recorded);
      auto warp = cpu.layout().find("warp");
      ASSERT_TRUE(warp);
      EXPECT_GE(*warp, layout_of(TableId::cpu)->columns.size());
      EXPECT_EQ(cpu.at(0, *warp).bits, 1000 + n);
      ASSERT_EQ((*s)->unknown.size(), 1U);
      const Rows& weather = *(*s)->unknown[0];
      EXPECT_EQ(weather.layout().name, "weather");
      EXPECT_EQ(weather.pool().view(weather.at(0, 0).bits), "here");
      EXPECT_EQ(weather.at(0, 1).bits, 10 * n);
    }
    EXPECT_EQ(n, count);
    EXPECT_TRUE(cursor->gaps().empty());
  }

  std::shared_ptr<const RecordedSchema> schema_;
  uint64_t first_ = 1;
};

TEST_F(NewerBuild, UnknownTablesAndColumnsHarmNoKnownOnes) {
  write_chunk(1, 20);
  write_tail(21, 30);
  expect_samples(30);
}

TEST_F(NewerBuild, ItsTailIsTakenOverWithAllItHolds) {
  write_tail(1, 12);
  { auto out = writer(); }
  EXPECT_TRUE((*list_folder(folder_)).tails.empty());
  expect_samples(12);
}

TEST_F(NewerBuild, AColumnOrTableNamedTwiceIsTheFirstOne) {
  RecordedSchema twice = *schema_;
  twice[1].columns[1].name = "user";
  twice[0].name = "cpu";
  auto read = *decode_schema(encode_schema(twice));
  EXPECT_TRUE(read[0].id);
  EXPECT_FALSE(read[1].id);
  twice[0].name = "weather";
  read = *decode_schema(encode_schema(twice));
  EXPECT_EQ(read[1].column[1], 1) << "user";
  EXPECT_GE(read[1].column[2], layout_of(TableId::cpu)->columns.size());
}

TEST_F(NewerBuild, AFileOfALaterFormatIsSkippedAndNamed) {
  write_chunk(1, 20);
  std::string segment = only(".seg");
  std::string bytes = *read_file(segment);
  bytes[4] = 9;
  ASSERT_TRUE(replace_file(segment, bytes));
  write_tail(21, 30);
  std::vector<Gap> gaps;
  EXPECT_EQ(read_all(&gaps).size(), 10U);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].why, segment + " is of format 9; this tacho reads up to 1");
}

TEST_F(NewerBuild, ARecordingOfALaterFormatIsOneClearLine) {
  ASSERT_TRUE(replace_file(folder_ + "/format", "tacho recording 99 with more behind\n"));
  for (const Error& error :
       {open_recording(folder_, {}).error(), describe_recording(folder_).error(),
        recorded_gaps(folder_).error(), Writer::open(folder_, options_).error()}) {
    EXPECT_EQ(error.code, Errc::too_new);
    EXPECT_EQ(error.what, folder_ + " was recorded in format 99; this tacho reads up to 1");
  }
}

}  // namespace
}  // namespace tacho
