// --every N: a command that prints once, again and again, as watch(1) would.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace tacho::cli {

struct Command;

/// Takes "--every N" or "--every=N" (seconds) out of the arguments, up to a "--"; nothing where it
/// is not there. Fails where N is none, or less than a tenth of a second.
[[nodiscard]] Result<std::optional<int64_t>> take_every(int& argc, char** argv);

/// Runs the command every `every_ns` until a signal ends it: on a terminal on a cleared screen,
/// under a line with the command, the host and the time, cut to the screen; otherwise one output
/// after the other. Ends with the command's exit code where its first run fails.
int run_every(const Command& command, int argc, char** argv, int64_t every_ns);

}  // namespace tacho::cli
