#include "cli/survey.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schema/memory.h"
#include "schema/process.h"

namespace tacho::cli {
namespace {

const TableSurvey& of(const std::vector<TableSurvey>& all, TableId id) {
  return *std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.table == id; });
}

TEST(Survey, TellsWhatIsNotSeenAndOfHowMany) {
  auto pool = std::make_shared<TextPool>();
  auto processes = std::make_shared<Rows>(layout_of(TableId::process), pool);
  for (int i = 0; i < 3; ++i) {
    size_t row = processes->append();
    for (size_t column = 0; column < processes->width(); ++column)
      processes->set(row, column, 1);
    processes->set_absent(row, schema::process["run_delay"], Absent::not_supported);
  }
  processes->set_absent(0, schema::process["read_bytes"], Absent::no_permission);
  processes->set_absent(1, schema::process["read_bytes"], Absent::no_permission);
  processes->set_absent(1, schema::process["last_cpu"], Absent::not_applicable);
  auto pressure = std::make_shared<Rows>(layout_of(TableId::pressure), pool);
  pressure->absent = Absent::not_supported;
  Sample sample;
  sample.put(TableId::process, processes);
  sample.put(TableId::pressure, pressure);

  auto all = survey(sample);
  const TableSurvey& process = of(all, TableId::process);
  EXPECT_EQ(process.seen, TableSurvey::Seen::partly);
  EXPECT_EQ(process.instances, 3U);
  ASSERT_EQ(process.missing.size(), 2U) << "that it does not apply is no reason";
  EXPECT_EQ(process.missing[0].reason, Absent::no_permission);
  EXPECT_EQ(process.missing[0].metrics, std::vector<std::string>{"read_bytes"});
  EXPECT_EQ(process.missing[0].instances, 2U);
  EXPECT_EQ(process.missing[1].metrics, std::vector<std::string>{"run_delay"});

  EXPECT_EQ(of(all, TableId::pressure).seen, TableSurvey::Seen::nothing);
  EXPECT_EQ(of(all, TableId::pressure).reason, Absent::not_supported);
  EXPECT_NE(remedy(TableId::pressure, Absent::not_supported), "");
  EXPECT_EQ(of(all, TableId::memory).reason, Absent::not_read);
}

TEST(Survey, WhatAKernelDoesNotHaveIsNoFault) {
  auto rows = std::make_shared<Rows>(layout_of(TableId::memory), std::make_shared<TextPool>());
  rows->append();
  for (size_t column = 0; column < rows->width(); ++column)
    rows->set(0, column, 1);
  rows->set_absent(0, schema::memory["hardware_corrupted"], Absent::not_supported);
  Sample sample;
  sample.put(TableId::memory, rows);
  auto all = survey(sample);
  EXPECT_EQ(of(all, TableId::memory).seen, TableSurvey::Seen::all);
  EXPECT_EQ(of(all, TableId::memory).missing.size(), 1U);
}

}  // namespace
}  // namespace tacho::cli
