// The grammar of netstat: the original's options and messages, and our own beside them.
#pragma once

#include <optional>

#include "cli/classic/options.h"
#include "views/netstat/netstat.h"

namespace tacho::cli {

struct NetstatJob {
  enum class What { sockets, routes, interfaces, statistics, states, queues } what = What::sockets;
  NetstatOptions view;
  bool cache = false;       ///< -C
  bool continuous = false;  ///< -c
  bool verbose = false;
  // Numbers instead of names.
  bool numeric_hosts = false;
  bool numeric_ports = false;
  bool numeric_users = false;
  ClassicOptions classic;
};

/// Nothing: go on; otherwise the exit code.
[[nodiscard]] std::optional<int> parse_netstat(int argc, char** argv, NetstatJob& job);

}  // namespace tacho::cli
