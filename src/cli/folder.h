// Which folder a recording lies in.
#pragma once

#include <optional>
#include <string>

namespace tacho::cli {

inline constexpr const char* kSystemFolder = "/var/lib/tacho";

/// Where this user's own recorder writes: --dir, TACHO_DIR, $XDG_STATE_HOME/tacho,
/// ~/.local/state/tacho.
[[nodiscard]] std::string folder_to_write(const std::optional<std::string>& dir);

/// Where to read: as above, but the system's where the own folder holds no recording.
[[nodiscard]] std::string folder_to_read(const std::optional<std::string>& dir);

/// Whether the folder is the system-wide one, which its group may read.
[[nodiscard]] bool is_system_folder(const std::string& folder);

}  // namespace tacho::cli
