// Which files of a process a selection of columns is made of.
#pragma once

#include "sample/sample.h"

namespace tacho {

struct ProcessSources {
  explicit ProcessSources(const Selection& selection);

  bool everything;  ///< no columns were named
  bool schedstat = false;
  bool io = false;
  bool statm = false;
  bool status = false;  ///< for more than the owner
  bool owner = false;   ///< the effective user
  bool command_line = false;
  bool cgroup = false;
};

}  // namespace tacho
