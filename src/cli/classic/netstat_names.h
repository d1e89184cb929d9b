// Names of hosts, ports, users and networks, as this machine knows them.
#pragma once

#include "cli/classic/netstat_options.h"
#include "views/netstat/netstat.h"

namespace tacho::cli {

/// getnameinfo(3), services(5), protocols(5), networks(5) and the users; of what is to stay a
/// number, none.
[[nodiscard]] NetstatNames netstat_names(const NetstatJob& job);

}  // namespace tacho::cli
