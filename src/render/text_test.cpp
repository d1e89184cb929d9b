#include "render/text.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(ToText, PutsArgumentsInOrder) {
  EXPECT_EQ(to_text(Message("{} of {} took {}", {"stress", "alice", "92 %"})),
            "stress of alice took 92 %");
}

TEST(ToText, EscapesWhatComesFromOutside) {
  EXPECT_EQ(to_text(Message("{} took the CPU", {"a\x1b[31mb\n"})), "a\\e[31mb\\n took the CPU");
}

TEST(ToText, BracesInAnArgumentAreText) {
  EXPECT_EQ(to_text(Message("{} and {}", {"{}", "x"})), "{} and x");
}

TEST(ToText, MissingArgumentStaysVisible) {
  EXPECT_EQ(to_text(Message("{} and {}", {"x"})), "x and {}");
}

TEST(ToText, ReasonsAreSentences) {
  EXPECT_EQ(to_text(Absent::no_permission), "no permission");
}

}  // namespace
}  // namespace tacho
