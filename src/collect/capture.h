// tacho capture: this machine's sources as files, to be read with --root.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacho {

class Machine;

struct CaptureSummary {
  uint64_t files = 0;
  uint64_t bytes = 0;
  /// What was there but could not be read, for its first process, device or group: "path: why".
  std::vector<std::string> unreadable;
};

/// Copies every file that a reader reads into `folder`, laid out like "/", and what no file holds
/// into its subfolder tacho/: clock, system (uname, sysconf), statfs, ethtool, and the raw
/// inet_diag.tcp, .tcp6, .udp, .udp6. What the schema names is copied, so a new metric needs
/// nothing here.
///
/// Of processes: their figures and their command lines with secrets masked, the names of their
/// users, which sockets they hold; never their environment nor the names of their other files.
///
/// `folder` is made; it fails where it holds something already, and where it cannot be written.
[[nodiscard]] Result<CaptureSummary> capture(const Machine& machine, const std::string& folder);

}  // namespace tacho
