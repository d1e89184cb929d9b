#include "cli/config.h"

#include <toml++/toml.h>

#include <cstdlib>

#include "base/file.h"

namespace tacho::cli {
namespace {

/// [thresholds] has the names of thresholds.h, quoted or not: "cpu.busy" = 90 and cpu.busy = 90.
Result<void> take(const toml::table& table, const std::string& prefix, const std::string& file,
                  Thresholds& thresholds) {
  for (const auto& [key, node] : table) {
    std::string name = prefix + std::string(key.str());
    unsigned line = node.source().begin.line;
    if (const toml::table* inner = node.as_table()) {
      auto taken = take(*inner, name + ".", file, thresholds);
      if (!taken) return taken;
      continue;
    }
    const ThresholdName* found = nullptr;
    for (const ThresholdName& known : threshold_names()) {
      if (known.name == name) found = &known;
    }
    if (found == nullptr)
      return fail(Errc::invalid, "{}:{}: there is no threshold '{}'", file, line, name);
    auto value = node.value<double>();
    if (!value) return fail(Errc::invalid, "{}:{}: {} must be a number", file, line, name);
    thresholds.*(found->value) = *value;
  }
  return {};
}

}  // namespace

Result<Thresholds> load_thresholds(const std::vector<std::string>& files) {
  Thresholds thresholds;
  for (const std::string& file : files) {
    auto text = read_file(file);
    if (!text && text.error().code == Errc::not_found) continue;
    if (!text) return tl::unexpected(text.error());
    try {
      toml::table root = toml::parse(*text, file);
      for (const auto& [key, node] : root) {
        const toml::table* section = node.as_table();
        if (key.str() != "thresholds" || section == nullptr) {
          return fail(Errc::invalid, "{}:{}: unknown key '{}'", file, node.source().begin.line,
                      std::string(key.str()));
        }
        auto taken = take(*section, "", file, thresholds);
        if (!taken) return tl::unexpected(taken.error());
      }
    } catch (const toml::parse_error& error) {
      return fail(Errc::invalid, "{}:{}: {}", file, error.source().begin.line, error.description());
    }
  }
  return thresholds;
}

Result<Thresholds> load_thresholds() {
  std::vector<std::string> files{"/etc/tacho/tacho.toml"};
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config != nullptr && *config != '\0') {
    files.push_back(std::string(config) + "/tacho/tacho.toml");
  } else if (home != nullptr) {
    files.push_back(std::string(home) + "/.config/tacho/tacho.toml");
  }
  return load_thresholds(files);
}

}  // namespace tacho::cli
