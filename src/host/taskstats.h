// What the kernel says of each task that ends: the exit listener of taskstats
// (Documentation/accounting/taskstats.rst, include/uapi/linux/taskstats.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/machine.h"

struct mnl_socket;

namespace tacho {

/// The end of one task. The CPU time of a process is that of all its tasks, each of which says so
/// when it ends; `last` marks the one with which the process has ended.
struct TaskExit {
  uint64_t pid = 0;      ///< of the task
  uint64_t process = 0;  ///< the process it belonged to
  uint64_t parent = 0;
  uint64_t uid = 0;
  std::string command;     ///< comm
  uint64_t user_us = 0;    ///< counted by ticks: true on average over many tasks
  uint64_t system_us = 0;  ///< as user_us
  uint64_t run_ns = 0;     ///< run time by the scheduler's clock, up to its last tick; 0: unknown
  uint64_t process_age_us = 0;  ///< since the process began
  uint32_t exit_code = 0;       ///< as wait(2) has it
  bool last = false;
  /// Of a process that had several threads, with the last one: the run time of all of them.
  std::optional<uint64_t> process_run_ns;
};

/// Nothing where the message is none, or comes from a kernel before 5.19 (version 12 of the
/// structure), which does not say which process a thread belonged to.
[[nodiscard]] std::optional<TaskExit> parse_task_exit(std::string_view netlink_message);

/// Hears every task that ends, on all CPUs, from open() on. Not thread-safe.
class ExitListener {
 public:
  /// no_permission without CAP_NET_ADMIN; not_supported where the kernel lacks taskstats, is older
  /// than 5.19, or where this is another network, user or process-id namespace than the first.
  [[nodiscard]] static Result<ExitListener> open(const Machine& machine);
  ExitListener(ExitListener&&) noexcept;
  ExitListener& operator=(ExitListener&&) noexcept;
  ~ExitListener();

  /// Adds what was said since the last call; never waits.
  void drain(std::vector<TaskExit>& exits);
  /// Messages that the kernel dropped because nobody drained in time, since open().
  [[nodiscard]] uint64_t lost() const;

 private:
  ExitListener() = default;
  Result<uint32_t> call(uint16_t type, uint8_t command, uint16_t attribute, std::string_view text);

  struct Close {
    void operator()(mnl_socket* socket) const;
  };
  std::unique_ptr<mnl_socket, Close> socket_;
  uint16_t family_ = 0;
  std::string cpus_;
  std::string buffer_;
};

}  // namespace tacho
