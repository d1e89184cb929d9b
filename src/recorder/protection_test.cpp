#include "recorder/protection.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace tacho {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kCanLock = false;  // the sanitizer makes mlock() and mlockall() do nothing
#else
constexpr bool kCanLock = true;
#endif

/// Runs `check` in a process of its own, so that nothing sticks to the tests; true where it held.
template <typename Check>
bool holds_in_child(Check check) {
  pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const Protection& find(const std::vector<Protection>& all, std::string_view what) {
  return *std::ranges::find(all, what, &Protection::what);
}

TEST(Protect, WhatIsSaidToBeDoneIsDoneAndTheRestHasAReason) {
  EXPECT_TRUE(holds_in_child([] {
    auto before = read_file("/proc/self/oom_score_adj");
    auto all = protect_this_process(false);
    bool reasons =
        std::ranges::all_of(all, [](const Protection& p) { return p.done == p.reason.empty(); });
    auto score = read_file("/proc/self/oom_score_adj");
    bool lowered = find(all, "OOM score lowered").done;
    bool score_fits = trim(*score) == (lowered ? "-900" : trim(*before));
    bool raised = find(all, "priority raised").done;
    bool nice_fits = !raised || getpriority(PRIO_PROCESS, 0) == -10;
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    bool files_fit = files.rlim_cur == files.rlim_max;
    auto status = read_file("/proc/self/status");
    bool locked = status->find("VmLck:\t       0 kB") == std::string::npos;
    bool memory_fits = !kCanLock || locked == find(all, "memory locked").done;
    return all.size() == 4 && reasons && score_fits && nice_fits && files_fit && memory_fits;
  }));
}

TEST(Protect, ASessionOfItsOwnIsRaisedAmongTheOthers) {
  if (access("/proc/self/autogroup", W_OK) != 0) GTEST_SKIP() << "this kernel has no autogroup";
  EXPECT_TRUE(holds_in_child([] {
    setsid();
    auto raised = find(protect_this_process(false), "priority raised");
    auto before = read_file("/proc/self/autogroup");
    if (!before->ends_with("nice 0\n")) return false;
    if (!raised.done) return true;  // not permitted
    raised = find(protect_this_process(true), "priority raised");
    return raised.done && read_file("/proc/self/autogroup")->ends_with("nice -10\n");
  }));
}

TEST(Protect, WithoutAnyRightTheRecorderStillRunsAndCanGrow) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become nobody";
  EXPECT_TRUE(holds_in_child([] {
    rlimit small{1 << 20, 1 << 20};
    setpriority(PRIO_PROCESS, 0, 0);  // whatever priority the test was given
    if (setrlimit(RLIMIT_MEMLOCK, &small) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
      return false;
    auto all = protect_this_process(false);
    rlimit after{};
    getrlimit(RLIMIT_MEMLOCK, &after);
    void* room = mmap(nullptr, 16 << 20, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return !(kCanLock && find(all, "memory locked").done) && !find(all, "OOM score lowered").done &&
           !find(all, "priority raised").done && find(all, "descriptor limit raised").done &&
           after.rlim_cur == 1 << 20 && room != MAP_FAILED;
  }));
}

}  // namespace
}  // namespace tacho
