// The table filesystem: how full the local file systems are.
#pragma once

#include <memory>

#include "collect/reader.h"

namespace tacho {

class WatchList;

/// statfs(2) of the local mounts, tmpfs among them; never of a remote one, which may hang for ever
/// (host/mounts.h knows which is which). Of a watched tree with mounts of its own also its
/// /dev/shm, as /proc/PID/root/dev/shm. Slow.
[[nodiscard]] std::unique_ptr<Reader> make_filesystem_reader(std::shared_ptr<const WatchList> list);

}  // namespace tacho
