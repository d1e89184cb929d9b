#include "views/iostat/iostat.h"

#include <gtest/gtest.h>

#include "schema/cpu.h"
#include "schema/disk.h"

namespace tacho {
namespace {

/// What one disk has counted; what is not named is 0.
struct Counted {
  const char* device = "sda";
  uint64_t reads = 0, read_sectors = 0, read_ms = 0;
  uint64_t writes = 0, write_sectors = 0, write_ms = 0;
  uint64_t busy_ms = 0, queue_ms = 0;
};

SamplePtr at(int64_t second, const std::vector<Counted>& disks) {
  static const auto pool = std::make_shared<TextPool>();
  auto rows = std::make_shared<Rows>(layout_of(TableId::disk), pool);
  for (const Counted& disk : disks) {
    size_t row = rows->append();
    for (size_t column = 0; column < rows->width(); ++column) {
      if (rows->layout().columns[column].kind == Kind::counter) rows->set(row, column, 0);
    }
    rows->set_text(row, schema::disk["device"], disk.device);
    rows->set(row, schema::disk["reads"], disk.reads);
    rows->set(row, schema::disk["read_bytes"], disk.read_sectors);
    rows->set(row, schema::disk["read_time"], disk.read_ms);
    rows->set(row, schema::disk["writes"], disk.writes);
    rows->set(row, schema::disk["write_bytes"], disk.write_sectors);
    rows->set(row, schema::disk["write_time"], disk.write_ms);
    rows->set(row, schema::disk["busy_time"], disk.busy_ms);
    rows->set(row, schema::disk["queue_time"], disk.queue_ms);
  }
  rows->read_ns = second * kSecond;
  auto sample = std::make_shared<Sample>();
  sample->clock = {second * kSecond, second * kSecond, second * kSecond};
  sample->put(TableId::disk, rows);
  return sample;
}

IostatOptions disks_only(bool extended = false) {
  IostatOptions options;
  options.cpu = false;
  options.extended = extended;
  return options;
}

/// The figure of `key` for the only disk.
Json figure(const Window& window, const IostatOptions& options, const char* key) {
  return iostat_json(window, options)["disks"][0][key];
}

TEST(Iostat, RatesAreOverMeasuredTime) {
  Window window(at(100, {{"sda", 100, 1000, 50, 10, 80, 20, 500, 70}}),
                at(102, {{"sda", 300, 3000, 450, 20, 160, 60, 1500, 510}}));
  EXPECT_EQ(
      iostat_report(window, disks_only()),
      "Device             tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    "
      "kB_dscd\n"
      "sda             105.00       500.00        20.00         0.00       1000         40    "
      "      0\n\n\n");
  EXPECT_EQ(figure(window, disks_only(true), "r_await"), 2);   // 400 ms for 200 reads
  EXPECT_EQ(figure(window, disks_only(true), "w_await"), 4);   // 40 ms for 10 writes
  EXPECT_EQ(figure(window, disks_only(true), "rareq-sz"), 5);  // 1000 kB in 200 reads
  EXPECT_EQ(figure(window, disks_only(true), "aqu-sz"), 0.22);
  EXPECT_EQ(figure(window, disks_only(true), "util"), 50);
}

TEST(Iostat, MillisecondsThatRunOverGoOn) {
  Window window(at(100, {{"sda", 10, 80, 4294967290}}), at(101, {{"sda", 20, 160, 14}}));
  EXPECT_EQ(figure(window, disks_only(true), "r_await"), 2);  // 20 ms for 10 reads
}

TEST(Iostat, ACounterThatFellGivesNoFigure) {
  Window window(at(100, {{"sda", 1000, 8000, 900}}), at(101, {{"sda", 5, 40, 10}}));
  std::string report = iostat_report(window, disks_only());
  EXPECT_NE(report.find("sda                  -            -         0.00"), std::string::npos)
      << report;
  EXPECT_TRUE(figure(window, disks_only(true), "r/s").is_null());
}

TEST(Iostat, MoreThanAllOfTheTimeIsAll) {
  Window window(at(100, {{"sda", 1, 8, 0, 0, 0, 0, 0}}),
                at(101, {{"sda", 2, 16, 0, 0, 0, 0, 1032}}));
  EXPECT_EQ(figure(window, disks_only(true), "util"), 100);
  EXPECT_EQ(figure(window, disks_only(true), "raw_util"), 103.2);
  IostatOptions raw = disks_only(true);
  raw.raw_util = true;
  EXPECT_NE(iostat_report(window, raw).find("103.20\n"), std::string::npos);
}

TEST(Iostat, ADeviceThatCameHasCountedFromZero) {
  Window window(at(100, {{"sda", 1, 8}}), at(102, {{"sda", 1, 8}, {"sdb", 10, 80}}));
  IostatOptions options = disks_only();
  options.entries.push_back({false, "sdb", false});
  EXPECT_EQ(figure(window, options, "tps"), 5);
}

TEST(Iostat, AGroupSumsUpItsDevices) {
  Window window(at(100, {{"sda"}, {"sdb"}}),
                at(101, {{"sda", 10, 80, 20, 0, 0, 0, 600}, {"sdb", 30, 80, 20, 0, 0, 0, 200}}));
  IostatOptions options = disks_only(true);
  options.only_groups = true;
  options.entries = {{true, "both", false}, {false, "sda", false}, {false, "sdb", false}};
  Json group = iostat_json(window, options)["disks"][0];
  EXPECT_EQ(group["group"], "both");
  EXPECT_EQ(group["r/s"], 40);
  EXPECT_EQ(group["r_await"], 1);  // 40 ms for 40 reads
  EXPECT_EQ(group["util"], 40) << "of two disks";
}

TEST(Iostat, ANameCannotHarmTheTerminal) {
  Window window(at(100, {{"s\x1b[2J", 1, 8}}), at(101, {{"s\x1b[2J", 2, 16}}));
  EXPECT_EQ(iostat_report(window, disks_only()).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tacho
