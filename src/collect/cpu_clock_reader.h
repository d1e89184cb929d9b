// The table cpu_clock: clock rate, thermal throttling and NUMA node of each CPU.
#pragma once

#include <memory>

#include "collect/reader.h"

namespace tacho {

/// A row for each CPU that is online, from the files that the schema names under
/// sys/devices/system/cpu. Slow: a clock rate may have to be asked of the CPU itself.
[[nodiscard]] std::unique_ptr<Reader> make_cpu_clock_reader();

}  // namespace tacho
