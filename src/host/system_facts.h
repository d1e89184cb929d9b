// What system calls say of the machine as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/machine.h"

namespace tacho {

/// Facts by name: "nodename", "release", "machine" of uname(2); "pagesize", "nprocessors_conf",
/// "nprocessors_onln" of sysconf(3); "users" of utmp(5), missing where no utmp is kept.
using SystemFacts = std::vector<std::pair<std::string, std::string>>;

/// Rooted: lines "name value" of tacho/system.
[[nodiscard]] Result<SystemFacts> system_facts(const Machine& machine);
[[nodiscard]] std::string system_facts_text(const SystemFacts& facts);
/// Empty where it is not among them.
[[nodiscard]] std::string_view find_fact(const SystemFacts& facts, std::string_view name);

/// Sessions of users among the records of a utmp(5) file.
[[nodiscard]] size_t count_user_sessions(std::string_view utmp);

/// The numbers of a list such as "0-3,8"; empty for what is none. Numbers above 65535 are not
/// believed.
[[nodiscard]] std::vector<uint32_t> parse_cpu_list(std::string_view text);

}  // namespace tacho
