#include "render/csv.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacho {
namespace {

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_field("sda"), "sda");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, RecordsKeepEmptyFields) {
  std::string out;
  append_csv(out, std::vector<std::string>{"sda", "", "1.5"});
  EXPECT_EQ(out, "sda,,1.5\n");
}

}  // namespace
}  // namespace tacho
