#include "recorder/protection.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"

namespace tacho {
namespace {

Protection outcome(std::string what, bool done) {
  return {std::move(what), done, done ? "" : std::strerror(errno)};
}

Protection lock_memory() {
  return outcome("memory locked", mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0);
}

Protection lower_oom_score() {
  auto fd = open_file("/proc/self/oom_score_adj", O_WRONLY);
  auto written = fd ? write_all(fd->get(), "-900") : tl::unexpected(fd.error());
  return {"OOM score lowered", written.has_value(), written ? "" : written.error().what};
}

Protection raise_priority() {
  return outcome("priority raised", setpriority(PRIO_PROCESS, 0, -10) == 0);
}

Protection raise_descriptors() {
  rlimit limit{};
  bool done = getrlimit(RLIMIT_NOFILE, &limit) == 0;
  limit.rlim_cur = limit.rlim_max;
  return outcome("descriptor limit raised", done && setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

}  // namespace

std::vector<Protection> protect_this_process() {
  return {lock_memory(), lower_oom_score(), raise_priority(), raise_descriptors()};
}

}  // namespace tacho
