#include "render/table.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TextTable processes() {
  TextTable t({{"PID", Align::right, 0, false},
               {"COMMAND", Align::left, 0, true},
               {"CPU", Align::right, 0, false}});
  t.add({"7", "python3 train.py --lr 0.1", "98.5"});
  t.add({"4242", "stress", {"200", Style::critical}});
  return t;
}

TEST(TextTable, AlignsColumns) {
  EXPECT_EQ(processes().render(80, Palette(false)),
            " PID  COMMAND                     CPU\n"
            "   7  python3 train.py --lr 0.1  98.5\n"
            "4242  stress                      200\n");
}

TEST(TextTable, ShrinksToTheWidth) {
  EXPECT_EQ(processes().render(24, Palette(false)),
            " PID  COMMAND        CPU\n"
            "   7  python3 tra…  98.5\n"
            "4242  stress         200\n");
}

TEST(TextTable, ColoursOnlyWhenAsked) {
  EXPECT_NE(processes().render(80, Palette(true)).find("\x1b[1;31m200\x1b[0m"), std::string::npos);
  EXPECT_EQ(processes().render(80, Palette(false)).find('\x1b'), std::string::npos);
}

TEST(TextTable, NoLineEndsInSpacesOrIsTooLong) {
  TextTable t({{"", Align::left, 10, false}, {"", Align::left, 0, false}});
  t.add({"a", ""});
  t.add({"b", "0123456789"});
  EXPECT_EQ(t.render(16, Palette(false), 1), " a\n b           01…\n");
}

}  // namespace
}  // namespace tacho
