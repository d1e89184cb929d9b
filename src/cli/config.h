// The configuration: /etc/tacho/tacho.toml, then ~/.config/tacho/tacho.toml
// (docs/configuration.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "diagnose/thresholds.h"
#include "recording/writer.h"

namespace tacho::cli {

struct Config {
  Thresholds thresholds;               ///< [thresholds]
  int64_t interval_ns = 10 * kSecond;  ///< [record] interval
  Retention retention;                 ///< [record] retain, free
  std::vector<std::string> files;      ///< those that were there, in the order they were read
};

/// What holds after all files that exist. A file that cannot be read or understood, or a key that
/// nobody knows, is an error that names the file and the line.
[[nodiscard]] Result<Config> load_config();
/// The same for given files; those that are missing are passed over.
[[nodiscard]] Result<Config> load_config(const std::vector<std::string>& files);

/// A configuration with every key and its default, each explained and commented out: what
/// `tacho doctor --config` prints and the package installs.
[[nodiscard]] std::string example_config();

}  // namespace tacho::cli
