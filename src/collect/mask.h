// Command lines carry secrets; what looks like one is masked before anything else sees it.
#pragma once

#include <string>
#include <string_view>

namespace tacho {

/// Joins the arguments of /proc/PID/cmdline (each ended by a NUL) with spaces, and puts *** for the
/// values of --token=…, --password …, API_KEY=…, Authorization: Bearer …, user:secret@host and
/// their kind. Cut at 4096 bytes.
[[nodiscard]] std::string masked_command_line(std::string_view arguments);

}  // namespace tacho
