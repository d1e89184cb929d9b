#include "base/file.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace tacho {

void Fd::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Result<Fd> open_file(const std::string& path, int flags, mode_t mode) {
  int fd = -1;
  do {
    fd = open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return fail_errno(errno, path);
  return Fd(fd);
}

Result<std::string> read_file(const std::string& path) {
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return tl::unexpected(fd.error());
  std::string bytes;
  std::array<char, 65536> buffer;
  while (true) {
    ssize_t got = read(fd->get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, path);
    if (got == 0) return bytes;
    bytes.append(buffer.data(), static_cast<size_t>(got));
  }
}

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_errno(errno, "write");
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string beside = path + ".new";
  auto fd = open_file(beside, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (!fd) return tl::unexpected(fd.error());
  auto written = write_all(fd->get(), bytes);
  if (written && fdatasync(fd->get()) != 0) written = fail_errno(errno, beside);
  if (written && rename(beside.c_str(), path.c_str()) != 0) written = fail_errno(errno, path);
  if (!written) unlink(beside.c_str());
  return written;
}

Result<void> make_folders(const std::string& path, mode_t mode) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    std::string part = path.substr(0, end);
    struct stat status {};
    // Asked first: on a read-only or foreign parent mkdir would say EROFS where the folder is
    // there.
    if (stat(part.c_str(), &status) != 0) {
      if (mkdir(part.c_str(), mode) != 0 && errno != EEXIST) return fail_errno(errno, part);
    } else if (!S_ISDIR(status.st_mode)) {
      return fail_errno(ENOTDIR, part);
    }
    if (end == std::string::npos) return {};
  }
}

tl::unexpected<Error> fail_unreadable(const std::string& path) {
  std::string seen = path;
  struct stat status {};
  while (stat(seen.c_str(), &status) != 0) {
    size_t slash = seen.rfind('/');
    if (slash == std::string::npos || slash == 0) return fail_errno(EACCES, path);
    seen.resize(slash);
  }
  if ((status.st_mode & S_IROTH) != 0) return fail_errno(EACCES, path);
  const group* group = (status.st_mode & S_IRGRP) != 0 ? getgrgid(status.st_gid) : nullptr;
  const passwd* owner = getpwuid(status.st_uid);
  std::string who = owner != nullptr ? owner->pw_name : fmt::format("{}", status.st_uid);
  return fail(Errc::no_permission, "{}: permission denied; {} may read it", seen,
              group != nullptr ? fmt::format("members of the group '{}'", group->gr_name)
                               : fmt::format("only the user '{}'", who));
}

}  // namespace tacho
