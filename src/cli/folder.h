// Which folder a recording lies in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tacho::cli {

inline constexpr const char* kSystemFolder = "/var/lib/tacho";

/// Where this user's own recorder writes: --dir, TACHO_DIR, $XDG_STATE_HOME/tacho,
/// ~/.local/state/tacho.
[[nodiscard]] std::string folder_to_write(const std::optional<std::string>& dir);

/// Where to read, and whose recorder to speak to: as above, but the system's folder where
/// - the own holds no recording and the system's does, also one that this user may not read
///   (reading it says who may);
/// - the own recording is of the past and the system's is being written.
[[nodiscard]] std::string folder_to_read(const std::optional<std::string>& dir);

/// Whether the folder is the system-wide one, which its group may read.
[[nodiscard]] bool is_system_folder(std::string_view folder);

}  // namespace tacho::cli
