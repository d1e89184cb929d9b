#include "render/width.h"
#include "views/top/moment_test.h"

namespace tacho {
namespace {

using namespace top_test;
using testing::HasSubstr;

TEST(Top, AProcessThatBeganInsideHasTheRateSinceItBeganAndOneFirstSeenHasNone) {
  Moment begin(100);
  begin.add({10, 500, "old", 9000});
  Moment end(104);
  end.add({10, 500, "old", 9100})
      .add({11, 10200, "born", 100})
      .add({12, 9900, "unseen", 800})
      .add({10, 10300, "reused", 40});
  auto lines = tasks(Window(begin.sample(), end.sample()));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "   10 root      20   0    4096   1024    512 S  25.0   0.0   1:31.00 old");
  EXPECT_EQ(lines[1], "   11 root      20   0    4096   1024    512 S  25.0   0.0   0:01.00 born");
  EXPECT_EQ(lines[2], "   10 root      20   0    4096   1024    512 S  10.0   0.0   0:00.40 reused")
      << "its pid was another's: not 100 % less, not huge";
  EXPECT_EQ(lines[3], "   12 root      20   0    4096   1024    512 S     -   0.0   0:08.00 unseen")
      << "nobody knows what it used in the window; its life is no window";
}

TEST(Top, OneThreadUsesNoMoreThanOneCpu) {
  Moment begin(100);
  begin.add({10, 500, "one", 0}).add({11, 500, "two", 0});
  Moment end(101);
  end.add({10, 500, "one", 101}).add({11, 500, "two", 180});
  auto lines = tasks(Window(begin.sample(), end.sample()));
  EXPECT_THAT(lines[0], HasSubstr("180.0")) << "threads of it ended meanwhile: that was used";
  EXPECT_THAT(lines[1], HasSubstr("100.0")) << "a tick too many is rounding";
}

TEST(Top, CommandsAreCutOnlyWhereTheLineEnds) {
  Moment end(100);
  end.add({1, 10, "eleven char", 0}).add({2, 10, "twelve chars", 0});
  TopOptions options;
  auto lines = tasks(Window::since_boot(end.sample()), options);
  EXPECT_THAT(lines[0], testing::EndsWith(" eleven char"));
  EXPECT_EQ(display_width(lines[0]), 80U) << "the original leaves the last column empty";
  EXPECT_THAT(lines[1], testing::EndsWith(" twelve cha+"));
  options.width = 81;
  EXPECT_THAT(tasks(Window::since_boot(end.sample()), options)[1],
              testing::EndsWith(" twelve chars"));
  options.width = 50;
  auto narrow = page_lines(Window::since_boot(end.sample()), options);
  EXPECT_EQ(narrow[6], "  PID USER      PR  NI    VIRT    RES    SHR S") << "columns that fit";
  for (const std::string& line : narrow)
    EXPECT_LE(display_width(line), 50U);
}

TEST(Top, NothingFromOutsideReachesTheTerminalRaw) {
  Moment end(100);
  end.add({1, 10, "a\x1b[31mb\nc", 0, "S", "ev\x07il"});
  TopOptions options;
  options.width = 120;
  auto lines = tasks(Window::since_boot(end.sample()), options);
  EXPECT_THAT(lines[0], testing::EndsWith(" a\\e[31mb\\nc"));
  EXPECT_THAT(lines[0], HasSubstr(" ev\\x07il "));
  auto json = top_json(Window::since_boot(end.sample()), options);
  EXPECT_EQ(json["tasks"][0]["COMMAND"], "a\x1b[31mb\nc") << "JSON has its own escapes";
}

TEST(Top, SortsByAnyFieldInEitherDirection) {
  Moment end(100);
  end.add({3, 30, "b", 0, "S", "zoe", 5, 10})
      .add({1, 10, "c", 0, "S", "abe", 6, 30})
      .add({2, 20, "a", 0, "S", "max", 7, 20});
  auto order = [&](const char* field, bool ascending) {
    TopOptions options;
    options.sort = find_top_field(field);
    options.ascending = ascending;
    std::string pids;
    for (const std::string& line : tasks(Window::since_boot(end.sample()), options))
      pids += line.substr(4, 1);
    return pids;
  };
  EXPECT_EQ(order("PID", false), "321");
  EXPECT_EQ(order("PID", true), "123");
  EXPECT_EQ(order("%MEM", false), "123");
  EXPECT_EQ(order("USER", true), "123");
  EXPECT_EQ(order("COMMAND", false), "132");
  EXPECT_EQ(order("PSS", false), "123") << "nobody has a value: by pid";
}

TEST(Top, ChoosesByUserPidAndUse) {
  Moment begin(100);
  begin.add({1, 10, "a", 0, "S", "root", 0}).add({2, 10, "b", 0, "S", "ann", 5});
  Moment end(101);
  end.add({1, 10, "a", 0, "S", "root", 0}).add({2, 10, "b", 50, "S", "ann", 5});
  Window window(begin.sample(), end.sample());
  auto commands = [&](const TopOptions& options) {
    std::string out;
    for (const std::string& line : tasks(window, options))
      out += line.back();
    return out;
  };
  TopOptions options;
  EXPECT_EQ(commands(options), "ba");
  options.user = TopUser{5, "ann"};
  EXPECT_EQ(commands(options), "b");
  options.user->others = true;
  EXPECT_EQ(commands(options), "a");
  options.user = TopUser{7, "7", true};
  EXPECT_EQ(commands(options), "ba") << "the real user of both";
  options.user = TopUser{std::nullopt, "ann"};
  EXPECT_EQ(commands(options), "b") << "by name, over another machine's recording";
  options = {};
  options.busy_only = true;
  EXPECT_EQ(commands(options), "b");
  options = {};
  options.pids = {1, 99};
  EXPECT_EQ(commands(options), "a");
  EXPECT_EQ(page_lines(window, options)[1],
            "Tasks:   1 total,   0 running,   1 sleeping,   0 stopped,   0 zombie");
}

TEST(Top, ThreadsHaveTheirOwnTimeAndTheirProcessMemory) {
  Moment begin(100);
  begin.add({10, 100, "trainer", 0, "S", "ann"}).add_thread(10, 10, "trainer", 0);
  begin.add_thread(10, 11, "loader", 0);
  Moment end(102);
  end.add({10, 100, "trainer", 150, "S", "ann"}).add_thread(10, 10, "trainer", 0);
  end.add_thread(10, 11, "loader", 150);
  TopOptions options;
  options.threads = true;
  auto lines = page_lines(Window(begin.sample(), end.sample()), options);
  EXPECT_EQ(lines[1], "Threads:   2 total,   2 running,   0 sleeping,   0 stopped,   0 zombie");
  EXPECT_EQ(lines[7],
            "   11 ann        -   -    4096   1024    512 R  75.0   0.0   0:01.50 loader");
}

TEST(Top, CommandLinesAndTimeWithChildren) {
  Moment end(100);
  end.add({1, 10, "python3", 200, "S", "ann", 5, 10, 1, "python3 train.py --epochs 3"})
      .add({2, 10, "kworker/0:1", 0, "I"})
      .add({3, 10, "sh", 0, "Z"});
  TopOptions options;
  options.width = 120;
  options.command_line = true;
  options.family_time = true;
  auto lines = tasks(Window::since_boot(end.sample()), options);
  EXPECT_THAT(lines[0], HasSubstr("  0:12.00 python3 train.py --epochs 3"));
  EXPECT_THAT(lines[1], HasSubstr(" [kworker/0:1]"));
  EXPECT_THAT(lines[2], HasSubstr(" [sh] <defunct>"));
}

TEST(Top, EveryFieldHasAColumnAndWhatIsNotReadShowsADash) {
  auto names = top_field_names();
  ASSERT_EQ(names.size(), 78U);
  EXPECT_EQ(names.front(), "PID");
  EXPECT_EQ(names.back(), "nsTIME");
  EXPECT_EQ(find_top_field("pid"), nullptr) << "names are exact, as the original's";
  Moment end(100);
  end.add({1, 10, "init", 0});
  for (std::string_view name : names) {
    TopOptions options;
    options.fields = {find_top_field(name)};
    auto lines = page_lines(Window::since_boot(end.sample()), options);
    EXPECT_EQ(trim(lines[6]), name);
    EXPECT_FALSE(trim(lines[7]).empty()) << name;
  }
  for (const char* unread : {"PSS", "USS", "WCHAN", "nsPID", "ENVIRON", "SWAP", "Flags"}) {
    TopOptions options;
    options.fields = {find_top_field(unread)};
    EXPECT_EQ(trim(page_lines(Window::since_boot(end.sample()), options)[7]), "-") << unread;
  }
}

}  // namespace
}  // namespace tacho
