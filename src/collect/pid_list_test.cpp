#include "collect/pid_list.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "host/test_root.h"

namespace tacho {
namespace {

bool has(const PidList& list, pid_t pid) {
  return std::ranges::binary_search(list.pids(), static_cast<uint64_t>(pid));
}

TEST(PidList, SeesWhoIsBornAndWhoIsGone) {
  auto machine = Machine::live();
  Buffer buffer;
  PidList list;
  ASSERT_TRUE(list.update(*machine, buffer));
  EXPECT_TRUE(has(list, getpid()));
  for (int i = 0; i < 20; ++i) {
    pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    EXPECT_FALSE(has(list, child));
    ASSERT_TRUE(list.update(*machine, buffer));
    EXPECT_TRUE(has(list, child)) << "born since the list was made";
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    list.expire();
    ASSERT_TRUE(list.update(*machine, buffer));
    EXPECT_FALSE(has(list, child));
  }
}

TEST(PidList, OfAFolderIsListedEachTime) {
  TestRoot root;
  root.write("proc/loadavg", "0.20 0.18 0.12 1/80 40\n");
  root.write("proc/10/stat", "");
  root.write("proc/9/stat", "");
  Buffer buffer;
  PidList list;
  ASSERT_TRUE(list.update(*root.machine(), buffer));
  EXPECT_EQ(list.pids(), (std::vector<uint64_t>{9, 10}));
  root.write("proc/40/stat", "");
  ASSERT_TRUE(list.update(*root.machine(), buffer));
  EXPECT_EQ(list.pids(), (std::vector<uint64_t>{9, 10, 40}));
}

TEST(PidList, FailsWhereThereIsNoProc) {
  TestRoot root;
  Buffer buffer;
  PidList list;
  auto updated = list.update(*root.machine(), buffer);
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, Errc::not_found);
}

}  // namespace
}  // namespace tacho
