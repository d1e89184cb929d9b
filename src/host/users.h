// Names of users.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "host/machine.h"

namespace tacho {

/// Looks a user up once and remembers it. Live: getpwuid_r(3), which knows users of the network
/// too; rooted: etc/passwd of the folder. Not thread-safe.
class Users {
 public:
  /// The name, or the number as text where the user has none.
  const std::string& name(uint64_t uid, const Machine& machine);

 private:
  std::unordered_map<uint64_t, std::string> names_;
  uint64_t epoch_ = 0;
};

}  // namespace tacho
