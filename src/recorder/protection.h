// What keeps the recorder alive and on time when the machine is in trouble.
#pragma once

#include <string>
#include <vector>

namespace tacho {

struct Protection {
  std::string what;  ///< "memory locked", "OOM score lowered", "priority raised", "descriptors"
  bool done = false;
  std::string reason;  ///< why not
};

/// mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT): pages are locked when they are touched, not
/// all that is mapped; oom_score_adj -900; nice -10; soft limit of descriptors raised to the hard
/// one. What is not permitted is left as it is, with its reason. Not inherited by what the recorder
/// would exec only as far as the kernel says; the recorder execs nothing.
[[nodiscard]] std::vector<Protection> protect_this_process();

}  // namespace tacho
