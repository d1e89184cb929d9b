#include "host/users.h"

#include <grp.h>
#include <pwd.h>

#include <array>
#include <vector>

#include "base/text.h"

namespace tacho {
namespace {

std::string user_of_system(uint64_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> space;
  int error = getpwuid_r(static_cast<uid_t>(uid), &entry, space.data(), space.size(), &found);
  return error == 0 && found != nullptr ? entry.pw_name : std::to_string(uid);
}

/// A group's entry lists its members and may be long.
std::string group_of_system(uint64_t gid) {
  group entry{};
  group* found = nullptr;
  std::vector<char> space(65536);
  int error = getgrgid_r(static_cast<gid_t>(gid), &entry, space.data(), space.size(), &found);
  return error == 0 && found != nullptr ? entry.gr_name : std::to_string(gid);
}

/// Both etc/passwd and etc/group begin with name, password, number.
std::string from_file(const char* path, uint64_t id, const Machine& machine) {
  Buffer buffer;
  auto text = machine.read(path, buffer);
  std::string_view rest = text ? *text : std::string_view{};
  std::string_view line;
  while (next_line(rest, line)) {
    auto fields = split(line, ':');
    if (fields.size() > 2 && parse_u64(fields[2]) == id) return std::string(fields[0]);
  }
  return std::to_string(id);
}

}  // namespace

const std::string& AccountNames::name(uint64_t id, const Machine& machine) {
  if (epoch_ != machine.epoch()) names_.clear();
  epoch_ = machine.epoch();
  if (names_.size() > 10'000) names_.clear();
  auto [entry, fresh] = names_.try_emplace(id);
  if (!fresh) return entry->second;
  bool user = kind_ == Kind::user;
  if (machine.is_live()) {
    entry->second = user ? user_of_system(id) : group_of_system(id);
  } else {
    entry->second = from_file(user ? "etc/passwd" : "etc/group", id, machine);
  }
  return entry->second;
}

std::optional<uint64_t> find_user(const std::string& name, const Machine& machine) {
  if (machine.is_live()) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> space;
    int error = getpwnam_r(name.c_str(), &entry, space.data(), space.size(), &found);
    if (error != 0 || found == nullptr) return std::nullopt;
    return entry.pw_uid;
  }
  Buffer buffer;
  auto text = machine.read("etc/passwd", buffer);
  std::string_view rest = text ? *text : std::string_view{};
  std::string_view line;
  while (next_line(rest, line)) {
    auto fields = split(line, ':');
    if (fields.size() > 2 && fields[0] == name) return parse_u64(fields[2]);
  }
  return std::nullopt;
}

}  // namespace tacho
