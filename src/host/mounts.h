// What is mounted where, and how full it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/machine.h"

namespace tacho {

/// One line of /proc/PID/mountinfo: proc_pid_mountinfo(5).
struct Mount {
  uint64_t id = 0;
  uint64_t parent = 0;
  std::string device;   ///< "major:minor"
  std::string root;     ///< the folder of the file system that is mounted
  std::string point;    ///< where
  std::string type;     ///< "ext4", "nfs4", "fuse.sshfs" …
  std::string source;   ///< what: "/dev/sda1", "server:/export"
  std::string options;  ///< of the file system: "rw,cpu,cpuacct"
  bool read_only = false;
};

/// Lines that are none are left out. Octal escapes (\040 for a space) are undone.
[[nodiscard]] std::vector<Mount> parse_mountinfo(std::string_view text);
/// The mounts that `process` ("self" or a pid) sees.
[[nodiscard]] Result<std::vector<Mount>> read_mounts(const Machine& machine,
                                                     const std::string& process = "self");

/// Undoes the octal escapes of the kernel's mangle_path (fs/seq_file.c), as also in mountstats.
[[nodiscard]] std::string unescape_mount(std::string_view text);
/// The reverse, for files that `tacho capture` writes.
[[nodiscard]] std::string escape_mount(std::string_view text);

/// Mounts of file systems that lie on this machine, tmpfs among them: those that can be asked how
/// full they are without a server that may be dead. One of each device, none that lies hidden under
/// another mount or is reached through a remote one.
[[nodiscard]] std::vector<Mount> local_mounts(const std::vector<Mount>& mounts);

/// statfs(2), in the units of the system call.
struct FilesystemUse {
  uint64_t block_size = 0;  ///< bytes; the unit of the next three
  uint64_t blocks = 0;
  uint64_t free = 0;
  uint64_t available = 0;
  uint64_t inodes = 0;  ///< 0 where the file system counts none
  uint64_t inodes_free = 0;
};

/// May hang as long as the file system does. Rooted: a line of tacho/statfs (statfs_line).
[[nodiscard]] Result<FilesystemUse> filesystem_use(const Machine& machine,
                                                   const std::string& point);
[[nodiscard]] std::string statfs_line(const std::string& point, const FilesystemUse& use);

}  // namespace tacho
