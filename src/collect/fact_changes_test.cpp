#include "collect/fact_changes.h"

#include <gtest/gtest.h>

#include "schema/cgroup.h"
#include "schema/net.h"
#include "schema/process.h"

namespace tacho {
namespace {

std::shared_ptr<Rows> rows_of(TableId table) {
  return std::make_shared<Rows>(layout_of(table), std::make_shared<TextPool>());
}

/// The events between two samples that hold one table each; every one has texts of its own, as
/// tables have that are read on threads.
std::vector<Event> changes(const std::shared_ptr<Rows>& before,
                           const std::shared_ptr<Rows>& after) {
  FactChanges watch;
  std::vector<Event> events;
  Sample first;
  first.put(*before->layout().id, before);
  watch.compare(first, events);
  EXPECT_TRUE(events.empty()) << "one sample has changed from nothing";
  Sample second;
  second.clock = {100 * kSecond, 50 * kSecond, 50 * kSecond};
  after->read_ns = 48 * kSecond;
  second.put(*after->layout().id, after);
  watch.compare(second, events);
  return events;
}

std::shared_ptr<Rows> net(const char* device, uint64_t speed) {
  auto rows = rows_of(TableId::net);
  rows->append();
  rows->set_text(0, schema::net["device"], device);
  rows->set(0, schema::net["speed"], speed);
  return rows;
}

TEST(FactChanges, ALinkThatFellBack) {
  auto events = changes(net("eno1", 1000), net("eno1", 100));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, "change");
  EXPECT_EQ(events[0].subject, "eno1");
  EXPECT_EQ(events[0].detail, "net.speed 1000 Mbit/s -> 100 Mbit/s");
  EXPECT_EQ(events[0].realtime_ns, 98 * kSecond) << "when it was read, not when it was told";
}

TEST(FactChanges, TheSameValueAndAnotherDeviceAreNoChange) {
  EXPECT_TRUE(changes(net("eno1", 1000), net("eno1", 1000)).empty());
  EXPECT_TRUE(changes(net("eno1", 1000), net("eno2", 100)).empty());
}

TEST(FactChanges, WhatIsUnknownHasNotChanged) {
  auto unknown = net("eno1", 0);
  unknown->set_absent(0, schema::net["speed"], Absent::timed_out);
  EXPECT_TRUE(changes(net("eno1", 1000), unknown).empty());
  EXPECT_TRUE(changes(unknown, net("eno1", 1000)).empty());
}

std::shared_ptr<Rows> group(std::optional<uint64_t> quota) {
  auto rows = rows_of(TableId::cgroup);
  rows->append();
  rows->set_text(0, schema::cgroup["path"], "/job");
  if (quota) {
    rows->set(0, schema::cgroup["cpu_quota"], *quota);
  } else {
    rows->set_absent(0, schema::cgroup["cpu_quota"], Absent::not_applicable);
  }
  return rows;
}

TEST(FactChanges, AQuotaThatWasSetAndLifted) {
  auto set = changes(group(std::nullopt), group(30000));
  ASSERT_EQ(set.size(), 1U);
  EXPECT_EQ(set[0].detail, "cgroup.cpu_quota none -> 0.03 s");
  auto lifted = changes(group(30000), group(std::nullopt));
  ASSERT_EQ(lifted.size(), 1U);
  EXPECT_EQ(lifted[0].detail, "cgroup.cpu_quota 0.03 s -> none");
}

void add_process(Rows& rows, uint64_t pid, uint64_t watched, const char* cpus) {
  size_t row = rows.append();
  rows.set(row, schema::process["pid"], pid);
  rows.set(row, schema::process["start"], 10 * pid);
  rows.set_text(row, schema::process["command"], "python3");
  rows.set_text(row, schema::process["command_line"], "python3 train.py");
  rows.set(row, schema::process["watched"], watched);
  rows.set_text(row, schema::process["allowed_cpu_list"], cpus);
}

TEST(FactChanges, DeathsAndMasksOfTheWatchedTreeOnly) {
  auto before = rows_of(TableId::process);
  add_process(*before, 1, 0, "0-3");
  add_process(*before, 2, 0, "0-3");
  add_process(*before, 3, 1, "0-3");
  add_process(*before, 4, 1, "0-3");
  auto after = rows_of(TableId::process);
  add_process(*after, 2, 0, "0");
  add_process(*after, 4, 1, "0");
  auto events = changes(before, after);
  ASSERT_EQ(events.size(), 2U) << "not the death of 1, nor the mask of 2";
  EXPECT_EQ(events[0].kind, "change");
  EXPECT_EQ(events[0].pid, 4U);
  EXPECT_EQ(events[0].detail, "process.allowed_cpu_list 0-3 -> 0");
  EXPECT_EQ(events[1].kind, "death");
  EXPECT_EQ(events[1].pid, 3U);
  EXPECT_EQ(events[1].subject, "python3");
  EXPECT_EQ(events[1].detail, "python3 train.py");
}

TEST(FactChanges, ManyDeathsAreTwentyAndANumber) {
  auto before = rows_of(TableId::process);
  for (uint64_t pid = 1; pid <= 100; ++pid)
    add_process(*before, pid, 1, "0");
  auto after = rows_of(TableId::process);
  add_process(*after, 1, 1, "0");
  auto events = changes(before, after);
  ASSERT_EQ(events.size(), 21U);
  EXPECT_EQ(events[20].detail, "and 79 more");
}

TEST(FactChanges, AProcessThatIsNoLongerWatchedHasNotDied) {
  auto before = rows_of(TableId::process);
  add_process(*before, 3, 1, "0");
  auto after = rows_of(TableId::process);
  add_process(*after, 3, 0, "0");
  EXPECT_TRUE(changes(before, after).empty());
}

}  // namespace
}  // namespace tacho
