#include "collect/process_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"

namespace tacho {
namespace {

constexpr std::array<const char*, kProcessFiles> kNames{"stat", "schedstat", "io", "status",
                                                        "statm"};

}  // namespace

Result<void> list_pids(const Machine& machine, std::vector<uint64_t>& pids) {
  pids.clear();
  int fd = openat(machine.root_fd(), "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail_errno(errno, "proc");
  DIR* folder = fdopendir(fd);
  if (folder == nullptr) {
    ::close(fd);
    return fail(Errc::io, "proc cannot be listed");
  }
  while (const dirent* entry = readdir(folder)) {
    if (auto pid = parse_u64(entry->d_name)) pids.push_back(*pid);
  }
  closedir(folder);
  std::ranges::sort(pids);  // ascending already where it is the kernel's
  return {};
}

ProcessFiles::~ProcessFiles() {
  for (const Fd& fd : fds_) {
    if (fd) budget_.give();
  }
}

Result<std::string_view> ProcessFiles::read(ProcessFile file, const Machine& machine,
                                            Buffer& buffer) {
  auto index = static_cast<size_t>(file);
  if (refused_[index]) return tl::unexpected(Error{Errc::no_permission, ""});
  if (epoch_ != machine.epoch()) {
    for (Fd& fd : fds_) {
      if (fd) budget_.give();
      fd.reset();
    }
    epoch_ = machine.epoch();
  }
  Fd once;
  Fd* fd = &fds_[index];
  if (!*fd) {
    std::array<char, 64> path;
    auto end = fmt::format_to_n(path.data(), path.size() - 1, "proc/{}/{}", pid_, kNames[index]);
    *end.out = '\0';
    auto opened = machine.open(path.data());
    if (!opened) {
      refused_[index] = opened.error().code == Errc::no_permission;
      return tl::unexpected(opened.error());
    }
    if (budget_.take()) {
      *fd = std::move(*opened);
    } else {
      once = std::move(*opened);
      fd = &once;
    }
  }
  while (true) {
    ssize_t got = pread(fd->get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      refused_[index] = errno == EACCES || errno == EPERM;
      return tl::unexpected(Error{errc_of(errno), ""});
    }
    if (static_cast<size_t>(got) == buffer.size()) {
      buffer.grow();
      continue;
    }
    return std::string_view(buffer.data(), static_cast<size_t>(got));
  }
}

}  // namespace tacho
