// The lines above the tasks.
#pragma once

#include <string>
#include <vector>

#include "derive/window.h"
#include "render/json.h"
#include "views/top/top.h"

namespace tacho::top {

/// Of tasks that are counted.
struct TaskCounts {
  bool known = false;  ///< whether tasks were read at all
  size_t total = 0;
  size_t running = 0;
  size_t sleeping = 0;  ///< also those that wait for I/O, and idle threads of the kernel
  size_t stopped = 0;
  size_t zombie = 0;

  void add(std::string_view state);
};

/// Each line without its '\n' and at most as wide as the page.
[[nodiscard]] std::vector<std::string> summary(const Window& window, const TopOptions& options,
                                               const TaskCounts& counts);
[[nodiscard]] Json summary_json(const Window& window, const TopOptions& options,
                                const TaskCounts& counts);

}  // namespace tacho::top
