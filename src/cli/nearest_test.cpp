#include "cli/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacho::cli {
namespace {

const std::vector<std::string_view> kWords{"record", "replay", "schema", "vmstat"};

TEST(Nearest, FindsTypingMistakes) {
  EXPECT_EQ(nearest("recrod", kWords), "record");
  EXPECT_EQ(nearest("shcema", kWords), "schema");
  EXPECT_EQ(nearest("vmsta", kWords), "vmstat");
}

TEST(Nearest, GuessesNothingFarOff) {
  EXPECT_EQ(nearest("frobnicate", kWords), std::nullopt);
  EXPECT_EQ(nearest("", kWords), std::nullopt);
  EXPECT_EQ(nearest(std::string(100000, 'a'), kWords), std::nullopt);
}

TEST(DidYouMean, OffersOrPointsElsewhere) {
  EXPECT_EQ(did_you_mean("scheme", kWords, "x"), "; did you mean 'schema'?");
  EXPECT_EQ(did_you_mean("frobnicate", kWords, "tacho --help lists them"),
            "; tacho --help lists them");
}

}  // namespace
}  // namespace tacho::cli
