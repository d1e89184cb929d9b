#include "collect/pid_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/text.h"

namespace tacho {

uint64_t PidList::last_pid(const Machine& machine, Buffer& buffer) {
  if (!machine.is_live()) return 0;
  // loadavg tells of the reader's own PID namespace; /proc may be mounted from another one.
  if (!same_namespace_) {
    auto self = machine.link("proc/self");
    same_namespace_ = self && *self == std::to_string(getpid());
    if (!same_namespace_) return 0;
  }
  auto text = load_.read(machine, buffer);
  if (!text) return 0;
  std::string_view rest = *text;  // "0.20 0.18 0.12 1/80 11206"
  for (int i = 0; i < 4; ++i)
    next_field(rest);
  return parse_u64(trim(next_field(rest))).value_or(0);
}

Result<void> PidList::update(const Machine& machine, Buffer& buffer) {
  // Asked before listing: who is born in between makes it differ the next time.
  uint64_t last = last_pid(machine, buffer);
  bool same = last != 0 && last == last_ && epoch_ == machine.epoch();
  if (listed_ && complete_ && same) return {};
  listed_ = false;
  pids_.clear();
  int fd = openat(machine.root_fd(), "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail_errno(errno, "proc");
  DIR* folder = fdopendir(fd);
  if (folder == nullptr) {
    ::close(fd);
    return fail(Errc::io, "proc cannot be listed");
  }
  while (const dirent* entry = readdir(folder)) {
    if (auto pid = parse_u64(entry->d_name)) pids_.push_back(*pid);
  }
  closedir(folder);
  std::ranges::sort(pids_);  // ascending already where it is the kernel's
  listed_ = true;
  complete_ = same;
  last_ = last;
  epoch_ = machine.epoch();
  return {};
}

}  // namespace tacho
