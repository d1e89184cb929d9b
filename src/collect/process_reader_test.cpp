#include "collect/process_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "base/clock.h"
#include "collect/collector.h"
#include "collect/process_files.h"
#include "collect/stat_line.h"
#include "host/test_root.h"
#include "schema/process.h"

namespace tacho {
namespace {

std::optional<size_t> row_of(const Rows& rows, pid_t pid) {
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.at(row, schema::process["pid"]).bits == static_cast<uint64_t>(pid)) return row;
  }
  return std::nullopt;
}

/// A child that does what it is told until it is destroyed.
class Child {
 public:
  explicit Child(void (*work)()) : pid_(fork()) {
    if (pid_ == 0) {
      work();
      _exit(0);
    }
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

void sleep_for_good() {
  while (true)
    pause();
}
void spin() {
  while (getppid() != 0) {
  }
}

TEST(StatLine, TheCommandEndsAtTheLastParenthesis) {
  Rows rows(layout_of(TableId::process), std::make_shared<TextPool>());
  StatLine line(table_view(TableId::process), schema::kPidStat);
  size_t row = rows.append();
  ASSERT_TRUE(line.parse("42 (a) S 1\n(b)) R 7 0 0 0 -1 0 11 0 2 0 150 50 0 0 20 -5 3 0 900 4096 8",
                         rows, row));
  EXPECT_EQ(rows.text(row, schema::process["command"]), "a) S 1\n(b)");
  EXPECT_EQ(rows.text(row, schema::process["state"]), "R");
  EXPECT_EQ(rows.at(row, schema::process["parent"]).bits, 7U);
  EXPECT_EQ(rows.number(row, schema::process["user_time"]).value, 1.5);
  EXPECT_EQ(rows.number(row, schema::process["nice"]).value, -5.0);
  EXPECT_EQ(rows.at(row, schema::process["start"]).bits, 900U);
  EXPECT_EQ(rows.at(row, schema::process["last_cpu"]).absent, Absent::not_supported);
}

TEST(StatLine, RefusesWhatIsNone) {
  Rows rows(layout_of(TableId::process), std::make_shared<TextPool>());
  StatLine line(table_view(TableId::process), schema::kPidStat);
  for (const char* text : {"", "42", "42 (x", "x (y) R 1", ")(", "42 (x) R"}) {
    size_t row = rows.append();
    EXPECT_FALSE(line.parse(text, rows, row)) << text;
  }
}

TEST(CpuList, IsCounted) {
  EXPECT_EQ(count_cpus("0-3,8\n"), 5U);
  EXPECT_EQ(count_cpus("0"), 1U);
  EXPECT_FALSE(count_cpus(""));
  EXPECT_FALSE(count_cpus("3-1"));
}

TEST(CgroupPath, PrefersTheCpuControllerWhereItHasAPath) {
  EXPECT_EQ(cgroup_path("0::/user.slice/x\n"), "/user.slice/x");
  EXPECT_EQ(cgroup_path("4:memory:/m\n2:cpu,cpuacct:/rig\n0::/\n"), "/rig");
  EXPECT_EQ(cgroup_path("2:cpu:/\n0::/system\n"), "/system");
}

TEST(ProcessReader, SeesAChildItsWorkAndItsEnd) {
  auto child = std::make_unique<Child>(spin);
  Collector collector(Machine::live(), {TableId::process});
  auto before = collector.collect();
  auto row = row_of(*before->rows(TableId::process), child->pid());
  ASSERT_TRUE(row);
  auto at = [&](const Sample& s, Column c) {
    return s.rows(TableId::process)->number(*row_of(*s.rows(TableId::process), child->pid()), c);
  };
  EXPECT_EQ(*at(*before, schema::process["parent"]), getpid());
  EXPECT_EQ(*at(*before, schema::process["uid"]), getuid());
  SamplePtr after;
  double used = 0;
  for (int i = 0; i < 2000 && used < 0.05; ++i) {
    usleep(5000);
    after = collector.collect();
    used = *at(*after, schema::process["user_time"]) - *at(*before, schema::process["user_time"]);
  }
  EXPECT_GE(used, 0.05);
  pid_t pid = child->pid();
  child.reset();
  EXPECT_FALSE(row_of(*collector.collect()->rows(TableId::process), pid));
}

TEST(ProcessReader, MarksTheWatchedTreeAlsoWhenItsParentEnds) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t parent = fork();
  if (parent == 0) {
    pid_t grandchild = fork();
    if (grandchild == 0) sleep_for_good();
    (void)!write(ends[1], &grandchild, sizeof grandchild);
    sleep_for_good();
  }
  pid_t grandchild = 0;
  ASSERT_EQ(read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  Collector collector(Machine::live(), {TableId::process, TableId::thread});
  auto watched = [&](pid_t pid) {
    auto sample = collector.collect();
    const Rows& rows = *sample->rows(TableId::process);
    auto row = row_of(rows, pid);
    return row ? rows.at(*row, schema::process["watched"]) : Value{0, Absent::gone};
  };
  EXPECT_EQ(watched(grandchild).absent, Absent::not_applicable) << "nothing is watched yet";
  collector.watch_list().add_pid(static_cast<uint64_t>(parent));
  EXPECT_EQ(watched(grandchild).bits, 1U);
  EXPECT_EQ(watched(getpid()).bits, 0U);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_EQ(watched(grandchild).bits, 1U) << "an orphan of the tree belongs to it";
  EXPECT_GE(collector.collect()->rows(TableId::thread)->size(), 1U);
  kill(grandchild, SIGKILL);
}

TEST(ProcessReader, StaysFlatWhileProcessesComeAndGo) {
  Collector collector(Machine::live(), {TableId::process});
  auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator{});
  };
  // Other processes of the machine come and go too: what may be open follows from how many there
  // are.
  size_t processes = 0;
  for (int i = 0; i < 200; ++i) {
    Child a(sleep_for_good);
    Child b(sleep_for_good);
    collector.collect();
  }
  processes = collector.collect()->rows(TableId::process)->size();
  EXPECT_LE(static_cast<size_t>(descriptors()), processes * kProcessFiles + 50);
}

TEST(ProcessReader, SurvivesBrokenProcesses) {
  auto folder = fixture_folder("procfs");
  if (!folder) GTEST_SKIP() << "no fixtures beside this checkout";
  Collector collector(*Machine::rooted({*folder}), {TableId::process});
  auto sample = collector.collect();
  const Rows& rows = *sample->rows(TableId::process);
  auto vim = row_of(rows, 26231);
  ASSERT_TRUE(vim);
  EXPECT_EQ(rows.text(*vim, schema::process["command"]), "vim");
  EXPECT_EQ(rows.number(*vim, schema::process["user_time"]).value, 16.77);
  EXPECT_EQ(rows.number(*vim, schema::process["read_chars"]).value, 750339.0);
  EXPECT_FALSE(row_of(rows, 26233)) << "a process without stat is none";
}

/// Prints what a sample costs; never fails by it.
TEST(ProcessReader, PrintsItsCost) {
  for (size_t target : {300U, 1000U}) {
    std::vector<std::unique_ptr<Child>> children;
    while (children.size() < target)
      children.push_back(std::make_unique<Child>(sleep_for_good));
    Collector collector(Machine::live(), {TableId::process});
    for (int i = 0; i < 10; ++i)
      collector.collect();
    int64_t before = thread_cpu_ns();
    constexpr int kSamples = 40;
    for (int i = 0; i < kSamples; ++i)
      collector.collect();
    fmt::print("[ COST     ] {} sleeping processes: {:.2f} ms CPU a sample\n", target,
               static_cast<double>(thread_cpu_ns() - before) / 1e6 / kSamples);
  }
}

}  // namespace
}  // namespace tacho
