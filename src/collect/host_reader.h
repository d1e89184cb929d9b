// The table host: facts of the machine.
#pragma once

#include <memory>

#include "collect/reader.h"

namespace tacho {

/// uname(2), sysconf(3) and a few files. Never reads all of proc/cpuinfo, which on many CPUs takes
/// milliseconds and interrupts each of them.
[[nodiscard]] std::unique_ptr<Reader> make_host_reader();

}  // namespace tacho
