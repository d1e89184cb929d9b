#include "views/vmstat.h"

#include <gtest/gtest.h>

#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/host.h"
#include "schema/memory.h"
#include "schema/system.h"

namespace tacho {
namespace {

/// A machine of 4 KiB pages; what is not set is absent.
class Machine {
 public:
  explicit Machine(int64_t second) {
    sample_->clock = {second * kSecond, second * kSecond, second * kSecond};
  }
  Machine& set(Column column, uint64_t value) {
    auto& rows = tables_[static_cast<size_t>(column.table)];
    if (!rows) {
      rows = std::make_shared<Rows>(layout_of(column.table), pool());
      rows->append();
      rows->read_ns = sample_->clock.monotonic_ns;
      if (column.table == TableId::cpu) rows->set_text(0, schema::cpu["cpu"], "cpu");
    }
    rows->set(0, column, value);
    return *this;
  }
  SamplePtr sample() {
    for (size_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i]) sample_->put(static_cast<TableId>(i), tables_[i]);
    }
    return sample_;
  }

 private:
  static const TextPoolPtr& pool() {
    static const TextPoolPtr shared = std::make_shared<TextPool>();
    return shared;
  }
  std::shared_ptr<Sample> sample_ = std::make_shared<Sample>();
  std::array<std::shared_ptr<Rows>, kTableCount> tables_{};
};

/// Clock ticks in the row "cpu": user, system, idle, iowait; the rest are 0.
Machine& ticks(Machine& m, uint64_t user, uint64_t system, uint64_t idle, uint64_t iowait) {
  m.set(schema::cpu["user"], user).set(schema::cpu["system"], system);
  m.set(schema::cpu["idle"], idle).set(schema::cpu["iowait"], iowait);
  for (Column zero : {schema::cpu["nice"], schema::cpu["irq"], schema::cpu["softirq"],
                      schema::cpu["steal"], schema::cpu["guest"], schema::cpu["guest_nice"]}) {
    m.set(zero, 0);
  }
  return m;
}

Machine& counters(Machine& m, uint64_t scale) {
  m.set(schema::system["interrupts"], 3000 * scale)
      .set(schema::system["context_switches"], 5000 * scale)
      .set(schema::vm["pages_in"], 400 * scale)
      .set(schema::vm["pages_out"], 80 * scale)
      .set(schema::vm["swap_in"], 10 * scale)
      .set(schema::vm["swap_out"], 0);
  return m.set(schema::host["page_size"], 4096);
}

Machine& gauges(Machine& m) {
  return m.set(schema::system["running"], 3)
      .set(schema::system["blocked"], 1)
      .set(schema::memory["swap_total"], 2048)
      .set(schema::memory["swap_free"], 1024)
      .set(schema::memory["free"], 204800)
      .set(schema::memory["buffers"], 1000)
      .set(schema::memory["cached"], 30000)
      .set(schema::memory["sreclaimable"], 500)
      .set(schema::memory["active"], 777)
      .set(schema::memory["inactive"], 888);
}

/// Two seconds of two CPUs: 400 ticks, of which 100 user, 40 system, 240 idle, 20 iowait.
Window two_seconds() {
  Machine before(100);
  counters(ticks(before, 1000, 1000, 1000, 1000), 1);
  Machine after(102);
  gauges(counters(ticks(after, 1100, 1040, 1240, 1020), 2));
  return {before.sample(), after.sample()};
}

TEST(Vmstat, RatesAreOverMeasuredTime) {
  EXPECT_EQ(vmstat_line(two_seconds(), {}),
            " 3  1   1024 204800   1000  30500   20    0   200    40 1500 2500 25 10 60  5  0\n");
}

TEST(Vmstat, Wide) {
  VmstatOptions wide;
  wide.wide = true;
  EXPECT_EQ(vmstat_line(two_seconds(), wide),
            "   3    1         1024       204800         1000        30500   20    0   200    40 "
            "1500 2500  25  10  60   5   0   0\n");
}

TEST(Vmstat, ActiveAndUnits) {
  VmstatOptions options;
  options.active = true;
  options.unit = 'k';  // 204800 KiB are 209715.2 kB, of which .2 is cut off
  EXPECT_EQ(vmstat_line(two_seconds(), options),
            " 3  1   1048 209715    909    795   20    0   200    40 1500 2500 25 10 60  5  0\n");
}

TEST(Vmstat, FirstLineIsPerSecondSinceBoot) {
  Machine m(1000);  // 3000 interrupts in 1000 s are 3 a second, on however many CPUs
  gauges(counters(ticks(m, 100, 100, 1800, 0), 1));
  EXPECT_EQ(vmstat_line(Window::since_boot(m.sample()), {}),
            " 3  1   1024 204800   1000  30500    0    0     0     0    3    5  5  5 90  0  0\n");
}

TEST(Vmstat, AWideValueDoesNotShiftTheLine) {
  Machine before(100);
  counters(ticks(before, 0, 0, 0, 0), 1);
  Machine after(101);
  gauges(counters(ticks(after, 10, 10, 80, 0), 2)).set(schema::memory["free"], 23265628);
  EXPECT_EQ(vmstat_line({before.sample(), after.sample()}, {}),
            " 3  1   1024 23265628 1000  30500   40    0   400    80 3000 5000 10 10 80  0  0\n");
}

TEST(Vmstat, AbsentIsADash) {
  Machine before(100);
  before.set(schema::system["interrupts"], 5);
  Machine after(101);
  after.set(schema::system["interrupts"], 6).set(schema::system["running"], 2);
  Window window(before.sample(), after.sample());
  EXPECT_EQ(vmstat_line(window, {}),
            " 2  -      -      -      -      -    -    -     -     -    1    -  -  -  -  -  -\n");
  EXPECT_TRUE(vmstat_json(window, {})["free"].is_null());
}

TEST(Vmstat, Statistics) {
  Machine m(100);
  gauges(counters(ticks(m, 123, 0, 0, 0), 1)).set(schema::memory["total"], 4096);
  std::string text = vmstat_statistics(m.sample() ? *m.sample() : Sample{}, {});
  EXPECT_NE(text.find("         4096 K total memory\n"), std::string::npos) << text;
  EXPECT_NE(text.find("          123 non-nice user cpu ticks\n"), std::string::npos) << text;
  EXPECT_NE(text.find("            - K used memory\n"), std::string::npos) << text;
  VmstatOptions mebi;
  mebi.unit = 'M';
  EXPECT_EQ(vmstat_statistics_json(*m.sample(), mebi)["M total memory"], 4);
}

TEST(Vmstat, DisksAreWholeOnesAndTheirNamesHarmless) {
  auto pool = std::make_shared<TextPool>();
  auto rows = std::make_shared<Rows>(layout_of(TableId::disk), pool);
  size_t disk = rows->append();
  rows->set_text(disk, schema::disk["device"], "sd\x1b");
  rows->set(disk, schema::disk["reads"], 85299);
  rows->set(disk, schema::disk["in_flight"], 7);
  rows->set(disk, schema::disk["busy_time"], 27999);
  size_t partition = rows->append();
  rows->set_text(partition, schema::disk["device"], "sda1");
  rows->set(partition, schema::disk["partition"], 1);
  Sample sample;
  sample.put(TableId::disk, rows);
  EXPECT_EQ(vmstat_disk_lines(sample, {}),
            "sd\\e   85299      -       -       -      -      -       -       -      7     27\n");
}

}  // namespace
}  // namespace tacho
