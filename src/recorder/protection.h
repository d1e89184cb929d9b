// What keeps the recorder alive and on time when the machine is in trouble.
#pragma once

#include <string>
#include <vector>

namespace tacho {

struct Protection {
  std::string what;  ///< "memory locked", "OOM score lowered", "priority raised", …
  bool done = false;
  std::string reason;  ///< why not
};

/// What is not permitted is left as it is, with its reason.
///
/// - mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT): a page is locked when it is touched, so that
///   what is mapped and not used takes nothing. Only where no limit is set on locked memory: under
///   one, growing beyond it would make allocations fail that succeed today.
/// - oom_score_adj -900: of all that wants memory, the recorder (a few MB) is killed late.
/// - nice -10, in SCHED_OTHER: it comes soon where all CPUs are taken, and cannot keep one for
///   itself, as a real-time policy could. Where the kernel shares the CPUs out by session
///   (autogroup, sched(7)), nice counts within a session only: with `own_session`, in which there
///   is nobody else, the session gets it too.
/// - the soft limit of descriptors raised to the hard one.
///
/// Memory locks are not inherited by children, the others are: the recorder starts none.
[[nodiscard]] std::vector<Protection> protect_this_process(bool own_session);

}  // namespace tacho
