#include "cli/config.h"

#include <toml++/toml.h>

#include <array>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "cli/record_options.h"

namespace tacho::cli {
namespace {

/// Where a value stands, for the error.
struct Spot {
  const std::string& file;
  unsigned line;
  std::string name;
};

tl::unexpected<Error> wrong(const Spot& spot, std::string_view what) {
  return fail(Errc::invalid, "{}:{}: {}{}{}", spot.file, spot.line, spot.name,
              spot.name.empty() ? "" : " ", what);
}

Result<std::string> text_of(const toml::node& node, const Spot& spot) {
  auto value = node.value<std::string>();
  if (!value || !node.is_string()) return wrong(spot, "must be a text in quotes");
  return *value;
}

struct RecordKey {
  std::string_view name;
  std::string_view value;  ///< the default
  std::string_view help;
  Result<void> (*set)(const std::string& text, Config& config);
};

constexpr std::array kRecordKeys{
    RecordKey{"interval", "10s", "time between samples: 100ms to 1h",
              [](const std::string& text, Config& config) -> Result<void> {
                auto interval = parse_interval(text);
                if (!interval) return tl::unexpected(interval.error());
                config.interval_ns = *interval;
                return {};
              }},
    RecordKey{"retain", "1GiB", "most bytes, greatest age or both: 1GiB,30d",
              [](const std::string& text, Config& config) -> Result<void> {
                auto keep = parse_retention(text, config.retention);
                if (!keep) return tl::unexpected(keep.error());
                config.retention = *keep;
                return {};
              }},
    RecordKey{"free", "64MiB", "space that recording leaves free on its file system",
              [](const std::string& text, Config& config) -> Result<void> {
                auto size = parse_size(text);
                if (!size) return fail(Errc::invalid, "{}: no size; write 64MiB", text);
                config.retention.min_free_bytes = *size;
                return {};
              }},
};

Result<void> take_record(const toml::table& table, const std::string& file, Config& config) {
  for (const auto& [key, node] : table) {
    Spot spot{file, node.source().begin.line, "record." + std::string(key.str())};
    const RecordKey* found = nullptr;
    for (const RecordKey& known : kRecordKeys) {
      if (known.name == key.str()) found = &known;
    }
    if (found == nullptr) return wrong(spot, "is no key");
    auto text = text_of(node, spot);
    if (!text) return tl::unexpected(text.error());
    auto set = found->set(*text, config);
    if (!set) return wrong(spot, "= " + set.error().what);
  }
  return {};
}

/// [thresholds] has the names of thresholds.h, quoted or not: "cpu.busy" = 90 and cpu.busy = 90.
Result<void> take_thresholds(const toml::table& table, const std::string& prefix,
                             const std::string& file, Thresholds& thresholds) {
  for (const auto& [key, node] : table) {
    std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      auto taken = take_thresholds(*inner, name + ".", file, thresholds);
      if (!taken) return taken;
      continue;
    }
    Spot spot{file, node.source().begin.line, name};
    const ThresholdName* found = nullptr;
    for (const ThresholdName& known : threshold_names()) {
      if (known.name == name) found = &known;
    }
    if (found == nullptr)
      return wrong({file, spot.line, ""}, "there is no threshold '" + name + "'");
    auto value = node.value<double>();
    if (!value) return wrong(spot, "must be a number");
    thresholds.*(found->value) = *value;
  }
  return {};
}

Result<void> take(const toml::table& root, const std::string& file, Config& config) {
  for (const auto& [key, node] : root) {
    const toml::table* section = node.as_table();
    Result<void> taken;
    if (section != nullptr && key.str() == "thresholds") {
      taken = take_thresholds(*section, "", file, config.thresholds);
    } else if (section != nullptr && key.str() == "record") {
      taken = take_record(*section, file, config);
    } else {
      return wrong({file, node.source().begin.line, ""},
                   "unknown key '" + std::string(key.str()) + "'");
    }
    if (!taken) return taken;
  }
  return {};
}

}  // namespace

Result<Config> load_config(const std::vector<std::string>& files) {
  Config config;
  for (const std::string& file : files) {
    auto text = read_file(file);
    if (!text && text.error().code == Errc::not_found) continue;
    if (!text) return tl::unexpected(text.error());
    config.files.push_back(file);
    try {
      auto taken = take(toml::parse(*text, file), file, config);
      if (!taken) return tl::unexpected(taken.error());
    } catch (const toml::parse_error& error) {
      return fail(Errc::invalid, "{}:{}: {}", file, error.source().begin.line, error.description());
    }
  }
  return config;
}

Result<Config> load_config() {
  std::vector<std::string> files{"/etc/tacho/tacho.toml"};
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config != nullptr && *config != '\0') {
    files.push_back(std::string(config) + "/tacho/tacho.toml");
  } else if (home != nullptr) {
    files.push_back(std::string(home) + "/.config/tacho/tacho.toml");
  }
  return load_config(files);
}

std::string example_config() {
  std::string text =
      "# Configuration of tacho. Lines that begin with # are the defaults.\n\n[record]\n";
  for (const RecordKey& key : kRecordKeys)
    text += fmt::format("# {}\n#{} = \"{}\"\n", key.help, key.name, key.value);
  text +=
      "\n# Where a check of `tacho why` turns to a warning, and what its rules take for much.\n"
      "[thresholds]\n";
  Thresholds defaults;
  for (const ThresholdName& threshold : threshold_names()) {
    text += fmt::format("# {}\n#\"{}\" = {}\n", threshold.help, threshold.name,
                        defaults.*(threshold.value));
  }
  return text;
}

}  // namespace tacho::cli
