// What a message of the kernel's log means.
#pragma once

#include <string_view>

#include "collect/event_log.h"

namespace tacho {

/// What a kernel message means to tacho; an empty kind where nothing. Sources: mm/oom_kill.c,
/// kernel/watchdog.c, kernel/hung_task.c, block/blk-core.c, fs/ext4, the NIC drivers' link
/// messages, NVIDIA's driver (NVRM).
[[nodiscard]] Event classify_kernel_message(std::string_view message);

}  // namespace tacho
