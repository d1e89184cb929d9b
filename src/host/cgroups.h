// Where the hierarchies of control groups are mounted, and which groups there are: cgroups(7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/machine.h"
#include "host/mounts.h"

namespace tacho {

struct CgroupHierarchy {
  /// "" is the unified hierarchy (v2); otherwise v1's: "cpu", "cpuacct", "memory" …
  std::vector<std::string> controllers;
  std::string folder;  ///< where it is mounted, as a path for Machine: "sys/fs/cgroup"
  std::string root;    ///< the group that lies there: "/", in a container maybe its own

  [[nodiscard]] bool has(std::string_view controller) const;
};

/// Each hierarchy once. Where mountinfo tells of none, what stands at the usual places.
[[nodiscard]] std::vector<CgroupHierarchy> find_hierarchies(const Machine& machine);
[[nodiscard]] std::vector<CgroupHierarchy> find_hierarchies(const std::vector<Mount>& mounts);

/// The folder of a group, given by its path from the root group ("/docker/ab12"). Nothing where the
/// group lies outside of what is mounted.
[[nodiscard]] std::optional<std::string> folder_of(const CgroupHierarchy& hierarchy,
                                                   std::string_view group);

/// "/a/b/c" → "/a/b" → "/a" → "/" → "".
[[nodiscard]] std::string_view parent_group(std::string_view group);

/// Adds to `groups` the paths of those that hold processes, without their ancestors; at most
/// `most`. Looks into at most 10,000 folders.
void list_populated_groups(const Machine& machine, const CgroupHierarchy& hierarchy, size_t most,
                           std::vector<std::string>& groups);

/// One line of proc/PID/cgroup.
struct CgroupMembership {
  std::vector<std::string_view> controllers;  ///< {""} for the unified hierarchy
  std::string_view path;
};
[[nodiscard]] std::vector<CgroupMembership> parse_process_cgroups(std::string_view text);

}  // namespace tacho
