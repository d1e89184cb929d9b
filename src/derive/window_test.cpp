#include "derive/window.h"

#include <gtest/gtest.h>

#include "derive/figure.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/host.h"
#include "schema/memory.h"
#include "schema/net.h"
#include "schema/process.h"

namespace tacho {
namespace {

/// A sample at `seconds` after boot; tables are put in by hand.
struct At {
  explicit At(double seconds) : sample(std::make_shared<Sample>()) {
    auto ns = static_cast<int64_t>(seconds * 1e9);
    sample->clock = {1'700'000'000 * kSecond + ns, ns, ns};
  }
  Rows& table(TableId id) {
    auto rows = std::make_shared<Rows>(layout_of(id), std::make_shared<TextPool>());
    rows->read_ns = sample->clock.monotonic_ns;
    Rows& filled = *rows;
    sample->put(id, std::move(rows));
    return filled;
  }
  At& disk(std::string_view device, uint64_t reads, uint64_t read_sectors, uint64_t read_ms,
           uint64_t busy_ms) {
    Rows& rows = sample->rows(TableId::disk) == nullptr
                     ? table(TableId::disk)
                     : const_cast<Rows&>(*sample->rows(TableId::disk));
    size_t row = rows.append();
    rows.set_text(row, schema::disk["device"], device);
    rows.set(row, schema::disk["reads"], reads);
    rows.set(row, schema::disk["read_bytes"], read_sectors);
    rows.set(row, schema::disk["read_time"], read_ms);
    rows.set(row, schema::disk["busy_time"], busy_ms);
    return *this;
  }
  At& cpu(uint64_t user, uint64_t system, uint64_t idle, uint64_t iowait, uint64_t guest) {
    Rows& rows = table(TableId::cpu);
    size_t row = rows.append();
    rows.set_text(row, schema::cpu["cpu"], "cpu");
    for (Column c : {schema::cpu["nice"], schema::cpu["irq"], schema::cpu["softirq"],
                     schema::cpu["steal"], schema::cpu["guest_nice"]}) {
      rows.set(row, c, 0);
    }
    rows.set(row, schema::cpu["user"], user);
    rows.set(row, schema::cpu["system"], system);
    rows.set(row, schema::cpu["idle"], idle);
    rows.set(row, schema::cpu["iowait"], iowait);
    rows.set(row, schema::cpu["guest"], guest);
    return *this;
  }
  At& process(uint64_t pid, uint64_t start_ticks, uint64_t user_ticks) {
    Rows& rows = sample->rows(TableId::process) == nullptr
                     ? table(TableId::process)
                     : const_cast<Rows&>(*sample->rows(TableId::process));
    size_t row = rows.append();
    rows.set(row, schema::process["pid"], pid);
    rows.set(row, schema::process["start"], start_ticks);
    rows.set(row, schema::process["user_time"], user_ticks);
    rows.set(row, schema::process["system_time"], 0);
    return *this;
  }
  std::shared_ptr<Sample> sample;
};

constexpr Column kReads = schema::disk["reads"];

TEST(Window, RatesAreOverMeasuredTime) {
  // 300 reads of 64 sectors in 2.5 s, each of 4 ms; busy for 1 of the 2.5 s.
  Window window(At(100).disk("sda", 1000, 6400, 5000, 9000).sample,
                At(102.5).disk("sda", 1300, 6400 + 300 * 64, 5000 + 1200, 10000).sample);
  const TableWindow& disk = window.table(TableId::disk);
  EXPECT_DOUBLE_EQ(*disk.rate(0, kReads), 120);
  EXPECT_DOUBLE_EQ(*disk.rate(0, schema::disk["read_bytes"]), 300 * 64 * 512 / 2.5);
  EXPECT_DOUBLE_EQ(*figure::disk_read_await(window, 0), 0.004);
  EXPECT_DOUBLE_EQ(*figure::disk_read_size(window, 0), 32768);
  EXPECT_DOUBLE_EQ(*figure::disk_util(window, 0), 40);
  EXPECT_EQ(figure::disk_write_await(window, 0).absent, Absent::not_read);
}

TEST(Window, TheAwaitOfNoRequestsDoesNotExist) {
  Window window(At(1).disk("sda", 5, 0, 0, 0).sample, At(2).disk("sda", 5, 0, 0, 0).sample);
  EXPECT_EQ(figure::disk_read_await(window, 0).absent, Absent::not_applicable);
  EXPECT_EQ(*window.table(TableId::disk).rate(0, kReads), 0);
}

TEST(Window, AThirtyTwoBitCounterWraps) {
  Window window(At(1).disk("sda", 10, 0, 4'294'967'290, 0).sample,
                At(2).disk("sda", 12, 0, 14, 0).sample);
  EXPECT_DOUBLE_EQ(*window.table(TableId::disk).delta(0, schema::disk["read_time"]), 0.020);
  EXPECT_DOUBLE_EQ(*figure::disk_read_await(window, 0), 0.010);
}

TEST(Window, ButIsResetWhereA64BitSiblingFellToo) {
  // Unplugged and back between the samples: all counters begin again.
  Window window(At(1).disk("sdb", 1000, 64, 50, 40).sample, At(2).disk("sdb", 3, 8, 2, 1).sample);
  const TableWindow& disk = window.table(TableId::disk);
  for (Column c : {kReads, schema::disk["read_time"], schema::disk["busy_time"]}) {
    EXPECT_EQ(disk.rate(0, c).absent, Absent::was_reset);
  }
}

TEST(Window, ADeviceThatCameInsideHasCountedFromZero) {
  Window window(At(1).disk("sda", 1, 1, 1, 1).sample,
                At(2).disk("sdb", 900, 1, 1, 1).disk("sda", 2, 1, 1, 1).sample);
  EXPECT_EQ(*window.table(TableId::disk).rate(0, kReads), 900);
  EXPECT_EQ(*window.table(TableId::disk).rate(1, kReads), 1);
}

TEST(Window, IdleThatFellByMoreThanTheWindowWasReset) {
  // A CPU was taken off: shares of what is left would be of nothing.
  Window window(At(1).cpu(100, 50, 90'000, 30, 0).sample, At(2).cpu(160, 70, 1020, 40, 0).sample);
  EXPECT_EQ(figure::cpu_busy(window, 0).absent, Absent::was_reset);
}

TEST(Window, IdleAndIowaitRunningBackwardsHarmNobodyElse) {
  Window window(At(1).cpu(100, 50, 1000, 30, 0).sample, At(2).cpu(160, 70, 1020, 25, 0).sample);
  // 60 user + 20 system + 20 idle; iowait fell by 5 and counts as 0.
  EXPECT_DOUBLE_EQ(*figure::cpu_share(window, 0, figure::CpuPart::user), 60);
  EXPECT_DOUBLE_EQ(*figure::cpu_share(window, 0, figure::CpuPart::iowait), 0);
  EXPECT_DOUBLE_EQ(*figure::cpu_busy(window, 0), 80);
}

TEST(Window, GuestTimeIsCountedOnce) {
  Window window(At(1).cpu(0, 0, 0, 0, 0).sample, At(2).cpu(60, 0, 40, 0, 60).sample);
  EXPECT_DOUBLE_EQ(*figure::cpu_share(window, 0, figure::CpuPart::user), 60);
  EXPECT_DOUBLE_EQ(*figure::cpu_share(window, 0, figure::CpuPart::guest), 60);
  EXPECT_DOUBLE_EQ(*figure::cpu_share(window, 0, figure::CpuPart::idle), 40);
}

TEST(Window, AProcessThatBeganInsideStartsAtZero) {
  Window window(At(10).process(7, 500, 40).sample,
                At(12).process(7, 500, 140).process(8, 1100, 50).process(9, 900, 77).sample);
  EXPECT_DOUBLE_EQ(*figure::process_cpu(window, 0), 50);
  EXPECT_DOUBLE_EQ(*figure::process_cpu(window, 1), 25) << "born at 11 s: 0.5 s in 2 s";
  EXPECT_EQ(figure::process_cpu(window, 2).absent, Absent::no_second_sample)
      << "born at 9 s yet not in the sample of 10 s: nobody knows what it used since";
}

TEST(Window, AReusedPidIsAnotherProcess) {
  Window window(At(10).process(7, 500, 4000).sample, At(12).process(7, 1150, 30).sample);
  EXPECT_TRUE(window.table(TableId::process).born(0));
  EXPECT_DOUBLE_EQ(*figure::process_cpu(window, 0), 15);
}

TEST(Window, WhatAProcessUsedOfItsLifeAndOfMemory) {
  auto end = At(20).process(7, 1000, 300).sample;
  auto& rows = const_cast<Rows&>(*end->rows(TableId::process));
  rows.set(0, schema::process["children_user_time"], 150);
  rows.set(0, schema::process["children_system_time"], 50);
  rows.set(0, schema::process["resident"], 2048);
  rows.set(0, schema::process["swap"], 1024);
  auto with_memory = std::make_shared<Sample>(*end);
  auto memory = std::make_shared<Rows>(layout_of(TableId::memory), std::make_shared<TextPool>());
  memory->append();
  memory->set(0, schema::memory["total"], 8192);
  memory->set(0, schema::memory["available"], 6144);
  memory->set(0, schema::memory["free"], 1024);
  memory->set(0, schema::memory["buffers"], 100);
  memory->set(0, schema::memory["cached"], 200);
  memory->set_absent(0, schema::memory["sreclaimable"], Absent::not_supported);
  with_memory->put(TableId::memory, memory);
  Window window(At(10).sample, with_memory);
  EXPECT_DOUBLE_EQ(*figure::process_cpu_time(window, 0), 3);
  EXPECT_DOUBLE_EQ(*figure::process_cpu_time_of_family(window, 0), 5);
  EXPECT_DOUBLE_EQ(*figure::process_elapsed(window, 0), 10) << "began at 10 s";
  EXPECT_DOUBLE_EQ(*figure::process_cpu_of_life(window, 0), 30);
  EXPECT_DOUBLE_EQ(*figure::process_cpu_of_family(window, 0), 50);
  EXPECT_DOUBLE_EQ(*figure::process_memory_share(window, 0), 25);
  EXPECT_DOUBLE_EQ(*figure::process_memory_used(window, 0), 3072 * 1024);
  EXPECT_DOUBLE_EQ(*figure::memory_used(window, 0), 2048 * 1024);
  EXPECT_DOUBLE_EQ(*figure::memory_cached(window, 0), 300 * 1024);
  memory->set(0, schema::memory["available"], 9000);
  EXPECT_DOUBLE_EQ(*figure::memory_used(window, 0), 7168 * 1024)
      << "more available than there is: by what is free";
}

TEST(Window, ATableThatWasNotDueHasNoRates) {
  auto begin = At(1).disk("sda", 1, 1, 1, 1).sample;
  auto end = At(2).sample;
  end->carry(TableId::disk, begin->rows_ptr(TableId::disk));
  Window window(begin, end);
  EXPECT_EQ(window.table(TableId::disk).rate(0, kReads).absent, Absent::not_due);
  EXPECT_EQ(window.table(TableId::net).absent(), Absent::not_read);
}

TEST(Window, ClocksThatJumpChangeNoRate) {
  auto begin = At(100).disk("sda", 0, 0, 0, 0).sample;
  auto end = At(101).disk("sda", 50, 0, 0, 0).sample;
  for (int64_t jump : {-3600 * kSecond, 3600 * kSecond}) {
    auto set = std::make_shared<Sample>(*end);
    set->clock.realtime_ns += jump;
    EXPECT_DOUBLE_EQ(*Window(begin, set).table(TableId::disk).rate(0, kReads), 50);
  }
  auto slept = std::make_shared<Sample>(*end);
  slept->clock.boottime_ns += 30 * kSecond;
  Window window(begin, slept);
  EXPECT_DOUBLE_EQ(*window.table(TableId::disk).rate(0, kReads), 50) << "not over the suspend";
  EXPECT_DOUBLE_EQ(window.suspended_seconds(), 30);
}

TEST(Window, SinceBootIsFromZeroAtBoot) {
  Window window = Window::since_boot(At(200).disk("sda", 1000, 0, 0, 0).cpu(1, 2, 7, 0, 0).sample);
  EXPECT_DOUBLE_EQ(window.seconds(), 200);
  EXPECT_DOUBLE_EQ(*window.table(TableId::disk).rate(0, kReads), 5);
  EXPECT_DOUBLE_EQ(*figure::cpu_share(window, 0, figure::CpuPart::idle), 70);
}

TEST(Window, AnotherBootCountsFromItsOwnBeginning) {
  Window window(At(5000).disk("sda", 90'000, 0, 0, 0).sample,
                At(50).disk("sda", 100, 0, 0, 0).sample);
  EXPECT_TRUE(window.is_since_boot());
  EXPECT_DOUBLE_EQ(*window.table(TableId::disk).rate(0, kReads), 2);
}

TEST(Figures, AreDeclaredOnceEach) {
  for (const Figure& figure : figures()) {
    EXPECT_EQ(find_figure(figure.id), &figure) << figure.id;
    EXPECT_EQ(figure.id.substr(0, figure.id.find('.')), table_view(figure.table).name);
    EXPECT_FALSE(figure.help.empty());
  }
}

}  // namespace
}  // namespace tacho
