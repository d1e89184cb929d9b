// Starts a program and stays with it: what the shell waits for in `tacho run`.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacho {

/// How the program ended.
struct Ended {
  int code = 0;    ///< its exit code, or 128 + the signal that ended it
  int signal = 0;  ///< 0 where it exited by itself
  double seconds = 0;
  double user_seconds = 0;  ///< of it and the descendants it waited for
  double system_seconds = 0;
  uint64_t max_rss_kib = 0;  ///< of the largest single process
};

/// Runs `command` to its end. Its three streams are this process's own, inherited: nothing stands
/// between, so a terminal stays a terminal and no byte is touched. It is in this process's group,
/// so that the terminal's signals (Ctrl-C, Ctrl-Z, a new size) reach it once, from the kernel;
/// signals that were sent to this process alone are passed on.
///
/// `started` is called with the program's pid; it must not block. Fails with not_found (exit code
/// 127) or no_permission (126) where the program cannot be started.
[[nodiscard]] Result<Ended> hold(const std::vector<std::string>& command,
                                 const std::function<void(pid_t)>& started);

}  // namespace tacho
