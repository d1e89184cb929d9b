// Who holds every socket, at once: for a command that shows it to somebody who waits for it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collect/reader.h"
#include "sample/value.h"

namespace tacho {

/// The program of a process as netstat shows it: its first argument, of a path the last part; its
/// name where it has no arguments. Empty where the process is gone.
[[nodiscard]] std::string program_of(const Machine& machine, uint64_t pid);

/// The inode in "socket:[12345]"; nothing for a link to something else.
[[nodiscard]] std::optional<uint64_t> socket_inode(std::string_view link);

/// One look through the descriptors of all processes: 4 µs each.
struct HeldSockets {
  struct Holder {
    uint64_t pid = 0;
    uint32_t program = 0;  ///< index of `programs`
  };
  std::unordered_map<uint64_t, Holder> by_inode;
  std::vector<std::string> programs;
  bool denied = false;  ///< there were processes whose descriptors may not be read

  struct Known {
    Value pid;  ///< or why not: no_permission, not_applicable (no process holds it)
    std::string_view program;
  };
  /// The holder with the lowest pid.
  [[nodiscard]] Known of(uint64_t inode) const;
};

/// Shared by the readers of one sample, each on a thread of its own: who comes first looks.
class SocketHolders {
 public:
  [[nodiscard]] std::shared_ptr<const HeldSockets> look(const Collecting& collecting);

 private:
  std::mutex mutex_;
  std::shared_ptr<const HeldSockets> last_;
  uint64_t sample_ = 0;
};

}  // namespace tacho
