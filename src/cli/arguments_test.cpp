#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.h"

namespace tacho::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A command with one option of each sort, and what its arguments came to.
struct Parsed {
  bool json = false;
  std::optional<std::string> from;
  std::optional<std::string> live;
  std::vector<std::string> words;
  std::optional<int> code;
  std::string error;

  explicit Parsed(std::vector<std::string> arguments) {
    Arguments args("dump", "for the test");
    args.flag("--json", json, "a flag");
    args.value("--from", from, "TIME", "a value");
    args.optional_value("--live", live, "N", "an optional value");
    args.words("TABLE", words, 1, 2);
    std::vector<char*> argv{const_cast<char*>("dump")};
    for (std::string& argument : arguments)
      argv.push_back(argument.data());
    testing::internal::CaptureStderr();
    code = args.parse(static_cast<int>(argv.size()), argv.data());
    error = testing::internal::GetCapturedStderr();
  }
};

TEST(Arguments, InAnyOrder) {
  Parsed p({"cpu", "--json", "--from", "10:32", "disk"});
  EXPECT_EQ(p.code, std::nullopt);
  EXPECT_TRUE(p.json);
  EXPECT_EQ(p.from, "10:32");
  EXPECT_THAT(p.words, ElementsAre("cpu", "disk"));
}

TEST(Arguments, AValueMayBeginWithADash) {
  EXPECT_EQ(Parsed({"cpu", "--from", "-10m"}).from, "-10m");
  EXPECT_EQ(Parsed({"cpu", "--from=-10m"}).from, "-10m");
}

TEST(Arguments, AnOptionalValueLeavesTheNextWordAlone) {
  Parsed bare({"--live", "cpu"});
  EXPECT_EQ(bare.live, "");
  EXPECT_THAT(bare.words, ElementsAre("cpu"));
  EXPECT_EQ(Parsed({"--live=5", "cpu"}).live, "5");
  EXPECT_EQ(Parsed({"cpu"}).live, std::nullopt);
}

TEST(Arguments, UnknownOptionIsNamedWithTheNearest) {
  Parsed p({"cpu", "--jsn"});
  EXPECT_EQ(p.code, kWrongUsage);
  EXPECT_EQ(p.error, "tacho dump: unknown option --jsn; did you mean '--json'?\n");
}

TEST(Arguments, TooManyAndTooFewWords) {
  EXPECT_THAT(Parsed({"a", "b", "c"}).error, HasSubstr("unexpected argument 'c'"));
  EXPECT_THAT(Parsed({}).error, HasSubstr("missing TABLE"));
  EXPECT_EQ(Parsed({}).code, kWrongUsage);
}

TEST(Arguments, AValueThatIsMissing) {
  Parsed p({"cpu", "--from"});
  EXPECT_EQ(p.code, kWrongUsage);
  EXPECT_THAT(p.error, HasSubstr("--from"));
}

}  // namespace
}  // namespace tacho::cli
