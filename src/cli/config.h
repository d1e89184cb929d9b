// The configuration: /etc/tacho/tacho.toml, then ~/.config/tacho/tacho.toml.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "diagnose/thresholds.h"

namespace tacho::cli {

/// The thresholds after all files that exist. A file that cannot be read or understood, or a key
/// that nobody knows, is an error that names the file and the line.
[[nodiscard]] Result<Thresholds> load_thresholds();
/// The same for given files; those that are missing are passed over.
[[nodiscard]] Result<Thresholds> load_thresholds(const std::vector<std::string>& files);

}  // namespace tacho::cli
