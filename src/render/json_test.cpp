#include "render/json.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(Json, AbsentIsNull) {
  EXPECT_EQ(to_string(to_json(Absent::not_supported)), "null");
  EXPECT_EQ(to_string(to_json(Number(0.0 / 1.0))), "0");
}

TEST(Json, IntegersHaveNoPoint) {
  EXPECT_EQ(to_string(to_json(25275953152.0)), "25275953152");
  EXPECT_EQ(to_string(to_json(42.5)), "42.5");
}

TEST(Json, TextFromOutsideIsAlwaysValidAndHarmless) {
  EXPECT_EQ(to_string("a\xff"), "\"a\uFFFD\"");
  EXPECT_EQ(to_string("\x1b[31m"), R"("\u001b[31m")");
  EXPECT_EQ(to_string("\xc2\x9b"
                      "31m\x7f"),
            R"("\u009b31m\u007f")");
}

}  // namespace
}  // namespace tacho
