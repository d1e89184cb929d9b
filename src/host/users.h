// Names of users and groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/machine.h"

namespace tacho {

/// Looks a number up once and remembers its name. Live: getpwuid_r(3) or getgrgid_r(3), which know
/// accounts of the network too; rooted: etc/passwd or etc/group of the folder. Not thread-safe.
class AccountNames {
 public:
  enum class Kind { user, group };
  explicit AccountNames(Kind kind) : kind_(kind) {}
  /// The name, or the number as text where there is none.
  const std::string& name(uint64_t id, const Machine& machine);

 private:
  Kind kind_;
  std::unordered_map<uint64_t, std::string> names_;
  uint64_t epoch_ = 0;
};

class Users : public AccountNames {
 public:
  Users() : AccountNames(Kind::user) {}
};
class Groups : public AccountNames {
 public:
  Groups() : AccountNames(Kind::group) {}
};

/// The number of the user of that name; nothing where there is none.
[[nodiscard]] std::optional<uint64_t> find_user(const std::string& name, const Machine& machine);

}  // namespace tacho
