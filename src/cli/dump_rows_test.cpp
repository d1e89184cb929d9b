#include "cli/dump_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schema/disk.h"
#include "schema/system.h"

namespace tacho::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A sample at `second` in which disk `name` has done that many reads and the rest is unknown.
SamplePtr disk_sample(const TextPoolPtr& pool, int second, const char* name, uint64_t reads) {
  auto rows = std::make_shared<Rows>(layout_of(TableId::disk), pool);
  size_t row = rows->append();
  rows->set_text(row, schema::disk["device"], name);
  rows->set(row, schema::disk["reads"], reads);
  rows->set(row, schema::disk["read_bytes"], 8 * reads);
  rows->read_ns = second * kSecond;
  auto sample = std::make_shared<Sample>();
  sample->clock = {second * kSecond, second * kSecond, second * kSecond};
  sample->put(TableId::disk, rows);
  return sample;
}

Window two_seconds(const char* name = "sda") {
  auto pool = std::make_shared<TextPool>();
  return {disk_sample(pool, 10, name, 100), disk_sample(pool, 12, name, 350)};
}

TEST(DumpRows, CountersAreRatesByMeasuredTime) {
  auto rows = DumpTable(TableId::disk, false, DumpFormat::ndjson).rows(two_seconds());
  ASSERT_EQ(rows.size(), 1U);
  auto json = nlohmann::json::parse(rows[0]);
  EXPECT_EQ(json["table"], "disk");
  EXPECT_EQ(json["device"], "sda");
  EXPECT_EQ(json["reads_per_s"], 125);           // (350 - 100) / 2 s
  EXPECT_EQ(json["read_bytes_per_s"], 512'000);  // 8 sectors of 512 bytes each
}

TEST(DumpRows, AbsentIsNullWithItsReason) {
  auto rows = DumpTable(TableId::disk, false, DumpFormat::ndjson).rows(two_seconds());
  auto json = nlohmann::json::parse(rows.at(0));
  EXPECT_TRUE(json["writes_per_s"].is_null());
  EXPECT_EQ(json["absent"]["writes_per_s"], "not_read");
  EXPECT_FALSE(json["absent"].contains("reads_per_s"));
}

TEST(DumpRows, RawIsWhatWasStored) {
  auto rows = DumpTable(TableId::disk, true, DumpFormat::ndjson).rows(two_seconds());
  auto json = nlohmann::json::parse(rows.at(0));
  EXPECT_EQ(json["reads"], 350);
  EXPECT_EQ(json["read_bytes"], 2800);
  EXPECT_FALSE(json.contains("reads_per_s"));
}

TEST(DumpRows, CsvHasAFieldForEveryName) {
  DumpTable table(TableId::disk, false, DumpFormat::csv);
  std::string header = table.header();
  EXPECT_THAT(header, StartsWith("time,device,major,"));
  EXPECT_THAT(header, HasSubstr(",reads_per_s,"));
  std::string row = table.rows(two_seconds()).at(0);
  EXPECT_EQ(std::count(row.begin(), row.end(), ','), std::count(header.begin(), header.end(), ','));
  EXPECT_THAT(row, HasSubstr(",sda,,"));  // the device number is absent: empty, not 0
}

TEST(DumpRows, NamesFromOutsideAreQuoted) {
  std::string row =
      DumpTable(TableId::disk, false, DumpFormat::csv).rows(two_seconds("a,\"b")).at(0);
  EXPECT_THAT(row, HasSubstr(R"(,"a,""b",)"));
}

}  // namespace
}  // namespace tacho::cli
