// Which lines a report of iostat has, and what each is made of.
#pragma once

#include <string>
#include <vector>

#include "derive/disk_use.h"
#include "views/iostat/iostat.h"

namespace tacho::iostat {

struct Line {
  std::string name;
  bool is_group = false;
  DiskUse use;
  const IostatOptions* options = nullptr;
};

/// In the original's order: named devices sorted by name, or as they are named where there are
/// groups; then, where all are wanted, the rest as the kernel lists them.
[[nodiscard]] std::vector<Line> lines_of(const Window& window, const IostatOptions& options);

}  // namespace tacho::iostat
