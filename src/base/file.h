// Descriptors and whole files of tacho's own (recordings, pid files, configuration). The machine's
// files in /proc and /sys are read through host/.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace tacho {

/// Owns one descriptor; closes it. Movable.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  void reset();
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// open(2) with O_CLOEXEC; the error names the path.
[[nodiscard]] Result<Fd> open_file(const std::string& path, int flags, mode_t mode = 0600);
/// All of a file, also of one whose size is not known beforehand.
[[nodiscard]] Result<std::string> read_file(const std::string& path);
/// All of `bytes`, however many writes that takes.
[[nodiscard]] Result<void> write_all(int fd, std::string_view bytes);
/// Writes beside the file, syncs, renames over it: readers see the old or the new, never half.
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view bytes,
                                        mode_t mode = 0600);
/// mkdir -p; folders that it makes get `mode`.
[[nodiscard]] Result<void> make_folders(const std::string& path, mode_t mode);

/// For a file or folder that this user may not read (no_permission): the nearest folder above it
/// that can be looked at, and who may read that.
[[nodiscard]] tl::unexpected<Error> fail_unreadable(const std::string& path);

}  // namespace tacho
