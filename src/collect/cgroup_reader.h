// The table cgroup: limits, use and throttling of control groups, v1, v2 and both at once.
#pragma once

#include <memory>

#include "collect/reader.h"

namespace tacho {

class WatchList;

/// A row for each group that holds processes and for every ancestor; at most kMostGroups, those of
/// the watched tree first. The groups are listed anew every 10 s, and their settings read then; in
/// between only what changes. Slow: a machine may have thousands of groups.
///
/// A group is known by its path. Where v1 has a hierarchy per controller, a row takes from each
/// what the group of that path says there; where it has none, the cells do not apply.
[[nodiscard]] std::unique_ptr<Reader> make_cgroup_reader(std::shared_ptr<const WatchList> list);
inline constexpr size_t kMostGroups = 2000;

}  // namespace tacho
