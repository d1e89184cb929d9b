#include "cli/folder.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "recording/folder.h"

namespace tacho::cli {
namespace {

/// An empty variable is none.
std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::string home() {
  if (auto home = variable("HOME")) return *home;
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_dir : "/";
}

std::string own_folder() {
  if (auto state = variable("XDG_STATE_HOME")) return *state + "/tacho";
  return home() + "/.local/state/tacho";
}

}  // namespace

std::string folder_to_write(const std::optional<std::string>& dir) {
  if (dir) return *dir;
  if (auto named = variable("TACHO_DIR")) return *named;
  return own_folder();
}

std::string folder_to_read(const std::optional<std::string>& dir) {
  std::string own = folder_to_write(dir);
  if (dir || variable("TACHO_DIR") || check_format(own)) return own;
  return check_format(kSystemFolder) ? kSystemFolder : own;
}

bool is_system_folder(const std::string& folder) {
  return folder == kSystemFolder;
}

}  // namespace tacho::cli
