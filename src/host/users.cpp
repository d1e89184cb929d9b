#include "host/users.h"

#include <pwd.h>

#include <array>

#include "base/text.h"

namespace tacho {
namespace {

std::string from_system(uint64_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> space;
  int error = getpwuid_r(static_cast<uid_t>(uid), &entry, space.data(), space.size(), &found);
  return error == 0 && found != nullptr ? entry.pw_name : std::to_string(uid);
}

std::string from_file(uint64_t uid, const Machine& machine) {
  Buffer buffer;
  auto text = machine.read("etc/passwd", buffer);
  std::string_view rest = text ? *text : std::string_view{};
  std::string_view line;
  while (next_line(rest, line)) {
    auto fields = split(line, ':');
    if (fields.size() > 2 && parse_u64(fields[2]) == uid) return std::string(fields[0]);
  }
  return std::to_string(uid);
}

}  // namespace

const std::string& Users::name(uint64_t uid, const Machine& machine) {
  if (epoch_ != machine.epoch()) names_.clear();
  epoch_ = machine.epoch();
  if (names_.size() > 10'000) names_.clear();
  auto [entry, fresh] = names_.try_emplace(uid);
  if (fresh) entry->second = machine.is_live() ? from_system(uid) : from_file(uid, machine);
  return entry->second;
}

}  // namespace tacho
