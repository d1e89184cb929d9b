#include "host/taskstats.h"

#include <gtest/gtest.h>
#include <libmnl/libmnl.h>
#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>

#include <array>
#include <cstring>

namespace tacho {
namespace {

/// What the kernel sends when the last thread of a process ends (kernel/taskstats.c).
std::string message_of(const taskstats& task, const taskstats* process = nullptr) {
  std::array<char, 4096> space{};
  nlmsghdr* header = mnl_nlmsg_put_header(space.data());
  mnl_nlmsg_put_extra_header(header, sizeof(genlmsghdr));
  nlattr* nest = mnl_attr_nest_start(header, TASKSTATS_TYPE_AGGR_PID);
  mnl_attr_put_u32(header, TASKSTATS_TYPE_PID, task.ac_pid);
  mnl_attr_put(header, TASKSTATS_TYPE_STATS, sizeof task, &task);
  mnl_attr_nest_end(header, nest);
  if (process != nullptr) {
    nest = mnl_attr_nest_start(header, TASKSTATS_TYPE_AGGR_TGID);
    mnl_attr_put_u32(header, TASKSTATS_TYPE_TGID, task.ac_tgid);
    mnl_attr_put(header, TASKSTATS_TYPE_STATS, sizeof *process, process);
    mnl_attr_nest_end(header, nest);
  }
  return {space.data(), header->nlmsg_len};
}

taskstats a_task() {
  taskstats task{};
  task.version = 12;
  task.ac_pid = 71;
  task.ac_tgid = 70;
  task.ac_ppid = 1;
  task.ac_uid = 1000;
  std::strcpy(task.ac_comm, "worker");
  task.ac_utime = 8000;
  task.ac_stime = 4000;
  task.cpu_run_virtual_total = 12'500'000;
  task.ac_exitcode = 9;
  task.ac_flag = AGROUP;
  return task;
}

TEST(TaskExit, IsReadFromItsMessage) {
  taskstats process{};
  process.cpu_run_virtual_total = 99'000'000;
  auto exit = parse_task_exit(message_of(a_task(), &process));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->pid, 71U);
  EXPECT_EQ(exit->process, 70U);
  EXPECT_EQ(exit->parent, 1U);
  EXPECT_EQ(exit->uid, 1000U);
  EXPECT_EQ(exit->command, "worker");
  EXPECT_EQ(exit->user_us, 8000U);
  EXPECT_EQ(exit->system_us, 4000U);
  EXPECT_EQ(exit->run_ns, 12'500'000U);
  EXPECT_EQ(exit->exit_code, 9U);
  EXPECT_TRUE(exit->last);
  EXPECT_EQ(exit->process_run_ns, 99'000'000U);
}

TEST(TaskExit, IsNotReadFromAnOlderKernel) {
  taskstats task = a_task();
  task.version = 11;
  EXPECT_FALSE(parse_task_exit(message_of(task)));
}

TEST(TaskExit, IsNotReadFromADamagedMessage) {
  taskstats process{};
  std::string message = message_of(a_task(), &process);
  EXPECT_FALSE(parse_task_exit({}));
  for (size_t length = 0; length < message.size(); ++length)
    EXPECT_FALSE(parse_task_exit(message.substr(0, length))) << length;
  for (size_t bit = 0; bit < message.size() * 8; ++bit) {
    std::string damaged = message;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    (void)parse_task_exit(damaged);  // under the sanitizers: reads nothing beyond it
  }
}

TEST(ExitListener, IsNotThereForAFolder) {
  auto machine = Machine::rooted({"/"});
  ASSERT_TRUE(machine);
  auto listener = ExitListener::open(**machine);
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().code, Errc::not_supported);
}

}  // namespace
}  // namespace tacho
