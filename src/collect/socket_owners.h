// Which process holds a socket: the kernel says it only in /proc/PID/fd.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/machine.h"
#include "sample/value.h"

namespace tacho {

/// A full look through all descriptors costs 3 µs each (docs/figures.md): it is done only when a
/// socket turns up that was not seen before, reads a bounded number of links at a time, and takes
/// at most a twentieth of the time. To be used by a slow reader.
class SocketOwners {
 public:
  /// Looks up who holds the sockets of these inodes.
  void look_up(const Machine& machine, const std::vector<uint64_t>& inodes);
  /// The process, or why it is not known: no_permission (it may be one whose descriptors may not be
  /// read), not_due (not looked for yet), not_applicable (no process holds it).
  [[nodiscard]] Value pid_of(uint64_t inode) const;
  /// The program of that process when it was found; empty where it is not known.
  [[nodiscard]] std::string_view program_of(uint64_t inode) const;

  /// The inodes of all sockets that these processes hold.
  [[nodiscard]] static std::unordered_set<uint64_t> sockets_of(const Machine& machine,
                                                               const std::vector<uint64_t>& pids);

 private:
  struct Owner {
    uint64_t pid = 0;
    uint64_t descriptor = 0;
    Absent absent = Absent::not_due;
    int64_t looked_ns = 0;
    std::string program{};
  };
  void scan(const Machine& machine, std::unordered_set<uint64_t>& wanted, int64_t now_ns);
  bool still_holds(const Machine& machine, uint64_t inode, const Owner& owner) const;

  std::unordered_map<uint64_t, Owner> owners_;
  uint64_t next_pid_ = 0;  ///< where the next scan goes on
  int64_t not_before_ns_ = 0;
  uint64_t epoch_ = 0;
};

}  // namespace tacho
