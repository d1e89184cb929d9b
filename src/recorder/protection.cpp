#include "recorder/protection.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"

namespace tacho {
namespace {

Protection outcome(std::string what, bool done) {
  return {std::move(what), done, done ? "" : std::strerror(errno)};
}

/// Whether this process may lock any amount. A user namespace shows CAP_IPC_LOCK without giving it,
/// so the kernel is asked (can_do_mlock() in mm/mlock.c): with a limit of 0 only who has it may.
bool may_lock_without_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return false;
  rlimit wanted{limit.rlim_max, limit.rlim_max};
  if (limit.rlim_max == RLIM_INFINITY) return setrlimit(RLIMIT_MEMLOCK, &wanted) == 0;
  rlimit none{0, limit.rlim_max};
  if (setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* probe = mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool may = probe != MAP_FAILED && mlock(probe, page) == 0;
  if (probe != MAP_FAILED) munmap(probe, page);
  setrlimit(RLIMIT_MEMLOCK, &limit);
  return may;
}

Protection lock_memory() {
  const char* what = "memory locked";
  if (!may_lock_without_limit()) {
    return {what, false, "locked memory is limited (needs CAP_IPC_LOCK or LimitMEMLOCK=infinity)"};
  }
  return outcome(what, mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0);
}

Protection lower_oom_score() {
  auto fd = open_file("/proc/self/oom_score_adj", O_WRONLY);
  if (!fd) return {"OOM score lowered", false, fd.error().what};
  return outcome("OOM score lowered", write(fd->get(), "-900", 4) == 4);
}

Protection raise_priority(bool own_session) {
  const char* what = "priority raised";
  if (setpriority(PRIO_PROCESS, 0, -10) != 0) return outcome(what, false);
  const char* autogroup = "/proc/self/autogroup";
  if (!own_session || access(autogroup, F_OK) != 0) return outcome(what, true);
  auto fd = open_file(autogroup, O_WRONLY);
  if (!fd) return {what, false, "among the sessions it is not: " + fd.error().what};
  return outcome(what, write(fd->get(), "-10", 3) == 3);
}

Protection raise_descriptors() {
  rlimit limit{};
  bool done = getrlimit(RLIMIT_NOFILE, &limit) == 0;
  limit.rlim_cur = limit.rlim_max;
  return outcome("descriptor limit raised", done && setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

}  // namespace

std::vector<Protection> protect_this_process(bool own_session) {
  return {lock_memory(), lower_oom_score(), raise_priority(own_session), raise_descriptors()};
}

}  // namespace tacho
