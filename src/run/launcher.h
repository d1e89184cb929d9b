// Where the processes of a wrapped command will be: below it, or where its tree does not reach.
#pragma once

#include <string>
#include <vector>

#include "base/message.h"

namespace tacho {

/// Where a command's work is done.
enum class Reach {
  own_tree,   ///< by its descendants on this machine
  container,  ///< by processes that a daemon of this machine starts
  elsewhere,  ///< by processes of a cluster, wholly or in part on other machines
};

struct Launch {
  Reach reach = Reach::own_tree;
  Message note;  ///< what is not seen and what helps; empty where the tree is the command's own
};

/// Tells it from the words of the command alone: docker, podman, nerdctl, kubectl, srun, mpirun,
/// mpiexec, torchrun, accelerate and deepspeed are known (the last three also as `python -m`).
/// Reads nothing else.
[[nodiscard]] Launch classify(const std::vector<std::string>& command);

}  // namespace tacho
