#include "render/field_lines.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

std::string line(const FieldLines& lines, const std::vector<std::string>& cells) {
  std::string out;
  for (size_t column = 0; column < cells.size(); ++column)
    lines.put(column, cells[column], out);
  return out;
}

TEST(FieldLines, ColumnsAreAsWideAsTheirWidestCell) {
  FieldLines lines({{"Name", 6}, {"N", 3, Align::right}, {"Rest", 0, Align::left, true}});
  for (const char* cell : {"ab", "longer name"})
    lines.measure(0, cell);
  std::string titles;
  lines.put_titles(titles);
  EXPECT_EQ(titles, "Name          N Rest\n");
  EXPECT_EQ(line(lines, {"ab", "7", ""}), "ab            7 \n");
  EXPECT_EQ(line(lines, {"longer name", "12", "as it is"}), "longer name  12 as it is\n");
}

TEST(FieldLines, CountsColumnsOfTheTerminalNotBytes) {
  FieldLines lines({{"A", 4}, {"B", 1}});
  lines.measure(0, "日本語");
  EXPECT_EQ(line(lines, {"日本語", "x"}), "日本語 x\n");
  EXPECT_EQ(line(lines, {"é", "x"}), "é      x\n");
}

}  // namespace
}  // namespace tacho
