#include "cli/folder.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "recorder/control.h"
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
  if (dir || variable("TACHO_DIR")) return own;
  if (check_format(own)) {
    bool past = !recorder_listens(own) && recorder_listens(kSystemFolder);
    return past ? kSystemFolder : own;
  }
  auto system = check_format(kSystemFolder);
  bool there = system || system.error().code == Errc::no_permission;
  return there ? kSystemFolder : own;
}

bool is_system_folder(std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/'))
    folder.remove_suffix(1);
  return folder == kSystemFolder;
}

}  // namespace tacho::cli
