#include "cli/every.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/clock.h"

namespace tacho::cli {
namespace {

/// What main gets: words and a null behind them.
struct Words {
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    argc = static_cast<int>(words_.size());
  }
  std::vector<std::string> left() const { return {argv.begin(), argv.begin() + argc}; }

  int argc;
  std::vector<char*> argv;

 private:
  std::vector<std::string> words_;
};

using List = std::vector<std::string>;

TEST(Every, IsTakenOutOfTheArguments) {
  Words words({"netstat", "-a", "--every", "2.5", "-n"});
  EXPECT_EQ(take_every(words.argc, words.argv.data()), 2'500'000'000);
  EXPECT_EQ(words.left(), (List{"netstat", "-a", "-n"}));
  EXPECT_EQ(words.argv[3], nullptr);

  Words joined({"status", "--every=1"});
  EXPECT_EQ(take_every(joined.argc, joined.argv.data()), kSecond);
  EXPECT_EQ(joined.left(), (List{"status"}));
}

TEST(Every, IsNotThere) {
  Words words({"netstat", "--everything", "--", "--every", "2"});
  EXPECT_EQ(take_every(words.argc, words.argv.data()), std::nullopt);
  EXPECT_EQ(words.argc, 5);
}

TEST(Every, WithoutATimeItIsAnError) {
  for (const char* value : {"0", "0.09", "-1", "soon", ""}) {
    Words words({"status", "--every", value});
    EXPECT_FALSE(take_every(words.argc, words.argv.data())) << value;
  }
  Words last({"status", "--every"});
  EXPECT_EQ(take_every(last.argc, last.argv.data()).error().what,
            "--every needs a number of seconds");
}

}  // namespace
}  // namespace tacho::cli
