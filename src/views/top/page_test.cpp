#include "views/top/moment_test.h"

namespace tacho {
namespace {

using namespace top_test;
using schema::process;
using testing::HasSubstr;

TEST(Top, TheWholePageReadsAsTheOriginals) {
  setenv("TZ", "UTC", 1);
  // 10 s on two CPUs: 2,000 ticks, of which 500 user, 100 system, 1,300 idle, 100 iowait.
  Moment begin(4000);
  begin.cpu("cpu", {0, 0, 0, 0, 0, 0}).add({1, 10, "init", 500});
  Moment end(4010);
  end.cpu("cpu", {500, 100, 1300, 100, 0, 0})
      .add({1, 10, "init", 500})
      .add({4242, 400000, "python3", 450, "R", "alice", 1000, 1299312})
      .add({77, 10, "gone", 3, "Z"});
  Window window(begin.sample(), end.sample());
  std::vector<std::string> expected{
      "top - 23:20:10 up  1:06,  1 user,  load average: 1.50, 0.75, 0.05",
      "Tasks:   3 total,   1 running,   1 sleeping,   0 stopped,   1 zombie",
      "%Cpu(s): 25.0 us,  5.0 sy,  0.0 ni, 65.0 id,  5.0 wa,  0.0 hi,  0.0 si,  0.0 st ",
      "MiB Mem :   8192.0 total,   1024.0 free,   2048.0 used,   2150.0 buff/cache     ",
      "MiB Swap:   2048.0 total,   2046.0 free,      2.0 used.   6144.0 avail Mem ",
      "",
      "  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND",
      " 4242 alice     20   0 5197248   1.2g    512 R  45.0  15.5   0:04.50 python3",
      "    1 root      20   0    4096   1024    512 S   0.0   0.0   0:05.00 init",
      "   77 root      20   0    4096   1024    512 Z     -   0.0   0:00.03 gone",
  };
  EXPECT_EQ(page_lines(window), expected);
}

TEST(Top, UsersAreCountedInWordsThatFit) {
  for (auto [users, words] :
       {std::pair{0U, "  0 users,"}, {1U, "  1 user,"}, {12U, " 12 users,"}}) {
    Moment end(90061);
    end.rows(TableId::host).set(0, schema::host["users"], users);
    EXPECT_THAT(page_lines(Window::since_boot(end.sample()))[0],
                HasSubstr(std::string("up 1 day,  1:01, ") + (words + 1)));
  }
  Moment end(200);
  end.rows(TableId::host).set_absent(0, schema::host["users"], Absent::not_supported);
  EXPECT_THAT(page_lines(Window::since_boot(end.sample()))[0], HasSubstr("up 3 min,  - users,"));
}

TEST(Top, GuestTimeIsCountedOnceAndIdleMayRunBackwards) {
  Moment begin(100);
  begin.cpu("cpu", {0, 0, 1000, 500, 0, 0});
  Moment guest(101);
  guest.cpu("cpu", {60, 0, 1040, 500, 0, 60});
  EXPECT_EQ(page_lines(Window(begin.sample(), guest.sample()))[2],
            "%Cpu(s): 60.0 us,  0.0 sy,  0.0 ni, 40.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st ");
  Moment back(101);
  back.cpu("cpu", {50, 50, 998, 490, 0, 0});
  EXPECT_EQ(page_lines(Window(begin.sample(), back.sample()))[2],
            "%Cpu(s): 50.0 us, 50.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st ")
      << "the original calls the whole second idle";
}

TEST(Top, EachCpuInPairsWhereTwoFit) {
  Moment begin(100);
  Moment end(101);
  for (const char* name : {"cpu", "cpu0", "cpu1", "cpu12"}) {
    begin.cpu(name, {0, 0, 0, 0, 0, 0});
    end.cpu(name, {100, 0, 0, 0, 0, 0});
  }
  Window window(begin.sample(), end.sample());
  TopOptions options;
  options.each_cpu = true;
  const std::string rest =
      "100.0 us,  0.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st ";
  auto narrow = page_lines(window, options);
  EXPECT_EQ(narrow[2], "%Cpu0  :" + rest);
  EXPECT_EQ(narrow[3], "%Cpu1  :" + rest) << "the original loses every second CPU at 80 columns";
  EXPECT_EQ(narrow[4], "%Cpu12 :" + rest);
  EXPECT_THAT(narrow[6], HasSubstr("MiB Swap:"));
  options.width = 200;
  auto wide = page_lines(window, options);
  EXPECT_EQ(wide[2], "%Cpu0  :" + rest + "  %Cpu1  :" + rest);
  EXPECT_EQ(wide[3], "%Cpu12 :" + rest);
  EXPECT_THAT(wide[4], HasSubstr("buff/cache       MiB Swap:"));
}

TEST(Top, WhatWasNotRecordedIsADash) {
  auto sample = std::make_shared<Sample>();
  sample->clock = {1'700'000'000 * kSecond, 90 * kSecond, 90 * kSecond};
  auto lines = page_lines(Window::since_boot(sample));
  EXPECT_THAT(lines[0], HasSubstr("up 1 min,  - users,  load average: -, -, -"));
  EXPECT_EQ(lines[1], "Tasks:   - total,   - running,   - sleeping,   - stopped,   - zombie");
  EXPECT_EQ(lines[2],
            "%Cpu(s):    - us,    - sy,    - ni,    - id,    - wa,    - hi,    - si,    - st ");
  EXPECT_EQ(lines[3],
            "MiB Mem :        - total,        - free,        - used,        - buff/cache     ");
}

TEST(Top, UnitsOfMemory) {
  Moment end(100);
  TopOptions options;
  options.summary_unit = 0;
  EXPECT_EQ(page_lines(Window::since_boot(end.sample()), options)[3],
            "KiB Mem :  8388608 total,  1048576 free,  2097152 used,  2201600 buff/cache     ");
  options.summary_unit = 2;
  EXPECT_EQ(page_lines(Window::since_boot(end.sample()), options)[4],
            "GiB Swap:      2.0 total,      2.0 free,      0.0 used.      6.0 avail Mem ");
  end.add({1, 10, "init", 0});
  options.task_unit = 2;
  EXPECT_THAT(tasks(Window::since_boot(end.sample()), options)[0], HasSubstr("0.0g   0.0g"));
}

TEST(Top, JsonHasTheSameAsNumbers) {
  Moment begin(4000);
  begin.cpu("cpu", {0, 0, 0, 0, 0, 0}).add({1, 10, "init", 500});
  Moment end(4010);
  end.cpu("cpu", {500, 100, 1300, 100, 0, 0}).add({1, 10, "init", 650}).add({2, 20, "new", 7});
  TopOptions options;
  options.sort = find_top_field("PPID");
  auto json = top_json(Window(begin.sample(), end.sample()), options);
  EXPECT_EQ(json["summary"].dump(),
            R"({"uptime":4010,"users":1,"load average":[1.5,0.75,0.05],)"
            R"("tasks":{"total":2,"running":0,"sleeping":2,"stopped":0,"zombie":0},)"
            R"("cpu":{"cpu":{"us":25,"sy":5,"ni":0,"id":65,"wa":5,"hi":0,"si":0,"st":0}},)"
            R"("memory":{"total":8589934592,"free":1073741824,"used":2147483648,)"
            R"("buff/cache":2254438400,"available":6442450944},)"
            R"("swap":{"total":2147483648,"free":2145386496,"used":2097152}})");
  EXPECT_EQ(json["tasks"].dump(),
            R"([{"PID":1,"USER":"root","PR":20,"NI":0,"VIRT":4096,"RES":1024,"SHR":512,"S":"S",)"
            R"("%CPU":15,"%MEM":0.01220703125,"TIME+":6.5,"COMMAND":"init","PPID":null},)"
            R"({"PID":2,"USER":"root","PR":20,"NI":0,"VIRT":4096,"RES":1024,"SHR":512,"S":"S",)"
            R"("%CPU":null,"%MEM":0.01220703125,"TIME+":0.07,"COMMAND":"new","PPID":null}])");
}

TEST(Top, ReadsOnlyWhatThePageShows) {
  TopOptions options;
  Selection usual = top_selection(options);
  EXPECT_TRUE(usual.narrowed(TableId::process));
  EXPECT_TRUE(usual.wants(process["shared"]));
  for (Column column : {process["command_line"], process["read_bytes"], process["swap"],
                        process["run_delay"], process["cgroup"]}) {
    EXPECT_FALSE(usual.wants(column));
  }
  EXPECT_FALSE(usual.has(TableId::thread));
  options.command_line = true;
  options.threads = true;
  options.sort = find_top_field("SWAP");
  options.fields = {find_top_field("COMMAND"), find_top_field("NU")};
  Selection other = top_selection(options);
  EXPECT_TRUE(other.wants(process["command_line"]));
  EXPECT_TRUE(other.wants(process["swap"]));
  EXPECT_FALSE(other.wants(process["shared"]));
  EXPECT_TRUE(other.has(TableId::thread));
  EXPECT_TRUE(other.has(TableId::cpu_clock));
}

}  // namespace
}  // namespace tacho
