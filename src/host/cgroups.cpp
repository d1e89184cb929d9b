#include "host/cgroups.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tacho {
namespace {

constexpr size_t kMostFolders = 10'000;

/// What v1's mount options name beside its controllers.
bool is_controller(std::string_view option) {
  static constexpr std::array<std::string_view, 9> others{
      "rw",       "ro",  "xattr",          "none",        "clone_children",
      "noprefix", "all", "cpuset_v2_mode", "favordynmods"};
  return std::ranges::find(others, option) == others.end() &&
         option.find('=') == std::string_view::npos;
}

std::vector<CgroupHierarchy> usual_places(const Machine& machine) {
  if (machine.exists("sys/fs/cgroup/cgroup.controllers")) {
    return {{{""}, "sys/fs/cgroup", "/"}};
  }
  std::vector<CgroupHierarchy> found;
  if (machine.exists("sys/fs/cgroup/unified/cgroup.controllers")) {
    found.push_back({{""}, "sys/fs/cgroup/unified", "/"});
  }
  for (const char* controller : {"cpu", "cpuacct", "cpuset", "memory", "blkio"}) {
    std::string folder = fmt::format("sys/fs/cgroup/{}", controller);
    if (machine.exists(folder.c_str())) found.push_back({{controller}, folder, "/"});
  }
  return found;
}

/// Whether the group itself (not only one below it) holds a process.
bool holds_processes(const Machine& machine, const std::string& folder) {
  auto fd = machine.open((folder + "/cgroup.procs").c_str());
  if (!fd) return false;
  std::array<char, 8> start;
  // A threaded group of v2 refuses to tell (EOPNOTSUPP): it is counted as one that does.
  return pread(fd->get(), start.data(), start.size(), 0) != 0;
}

/// v2 only: nothing in the group nor below it.
bool is_empty_tree(const Machine& machine, const std::string& folder, Buffer& buffer) {
  auto text = machine.read((folder + "/cgroup.events").c_str(), buffer);
  return text && text->find("populated 0") != std::string_view::npos;
}

}  // namespace

bool CgroupHierarchy::has(std::string_view controller) const {
  return std::ranges::find(controllers, controller) != controllers.end();
}

std::vector<CgroupHierarchy> find_hierarchies(const std::vector<Mount>& mounts) {
  std::vector<CgroupHierarchy> found;
  for (const Mount& mount : mounts) {
    CgroupHierarchy hierarchy;
    if (mount.type == "cgroup2") {
      hierarchy.controllers.emplace_back();
    } else if (mount.type == "cgroup") {
      for (std::string_view option : split(mount.options, ',')) {
        if (is_controller(option)) hierarchy.controllers.emplace_back(option);
      }
    }
    if (hierarchy.controllers.empty()) continue;
    hierarchy.folder = mount.point.substr(1);
    hierarchy.root = mount.root;
    auto same = std::ranges::find(found, hierarchy.controllers, &CgroupHierarchy::controllers);
    if (same == found.end()) {
      found.push_back(std::move(hierarchy));
    } else if (hierarchy.root.size() < same->root.size()) {
      *same = std::move(hierarchy);  // mounted twice: the one that shows more
    }
  }
  return found;
}

std::vector<CgroupHierarchy> find_hierarchies(const Machine& machine) {
  auto mounts = read_mounts(machine);
  std::vector<CgroupHierarchy> found;
  if (mounts) found = find_hierarchies(*mounts);
  return found.empty() ? usual_places(machine) : found;
}

std::optional<std::string> folder_of(const CgroupHierarchy& hierarchy, std::string_view group) {
  // "/.." is how a control group namespace shows what lies above it.
  if (!group.starts_with('/') || group.starts_with("/..")) return std::nullopt;
  std::string_view root = hierarchy.root;
  if (root != "/") {
    bool inside =
        group.starts_with(root) && (group.size() == root.size() || group[root.size()] == '/');
    if (!inside) return std::nullopt;
    group.remove_prefix(root.size());
  }
  if (group == "/") group = {};
  return hierarchy.folder + std::string(group);
}

std::string_view parent_group(std::string_view group) {
  if (group.size() <= 1) return {};
  size_t slash = group.rfind('/');
  return slash == 0 ? group.substr(0, 1) : group.substr(0, slash);
}

void list_populated_groups(const Machine& machine, const CgroupHierarchy& hierarchy, size_t most,
                           std::vector<std::string>& groups) {
  Buffer buffer;
  bool unified = hierarchy.has("");
  std::vector<std::string> names;
  std::vector<std::string> open{hierarchy.root.starts_with("/..") ? "/" : hierarchy.root};
  for (size_t folders = 0; !open.empty() && folders < kMostFolders; ++folders) {
    std::string group = std::move(open.back());
    open.pop_back();
    auto folder = folder_of(hierarchy, group);
    if (!folder) continue;
    if (unified && is_empty_tree(machine, *folder, buffer)) continue;
    if (holds_processes(machine, *folder)) {
      if (groups.size() >= most) return;
      groups.push_back(group);
    }
    if (!machine.list_folders(folder->c_str(), names)) continue;
    for (const std::string& name : names)
      open.push_back(group == "/" ? "/" + name : group + "/" + name);
  }
}

std::vector<CgroupMembership> parse_process_cgroups(std::string_view text) {
  std::vector<CgroupMembership> memberships;
  std::string_view line;
  while (next_line(text, line)) {
    size_t first = line.find(':');
    size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    std::string_view path = line.substr(second + 1);
    // A group that was removed while its process lives on.
    if (path.ends_with(" (deleted)") || !path.starts_with('/')) continue;
    memberships.push_back({split(line.substr(first + 1, second - first - 1), ','), path});
  }
  return memberships;
}

}  // namespace tacho
