#include "render/fields.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(FieldLine, AlignsFields) {
  EXPECT_EQ(FieldLine().add("sda", 5, Align::left).add("1.00", 6).add("2", 3).text(),
            "sda     1.00   2");
}

TEST(FieldLine, AWideTextTakesTheRoomOfTheNext) {
  EXPECT_EQ(FieldLine().add("123456", 3).add("7", 4).add("8", 4).text(), "123456 7    8");
}

TEST(FieldLine, ColumnsNeverRunTogether) {
  EXPECT_EQ(FieldLine().add("123456", 2).add("789", 2).add("1", 9).text(), "123456 789    1");
}

TEST(FieldLine, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(FieldLine().add("盘", 4, Align::left).add("1", 1).text(), "盘   1");
}

}  // namespace
}  // namespace tacho
