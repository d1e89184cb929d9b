#include "collect/capture.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "collect/capture_folder.h"
#include "collect/cgroup_files.h"
#include "collect/mask.h"
#include "collect/shape.h"
#include "host/ethtool.h"
#include "host/machine.h"
#include "host/mounts.h"
#include "host/sockets.h"
#include "host/system_facts.h"
#include "host/users.h"
#include "schema/cpu.h"

namespace tacho {
namespace {

constexpr size_t kMostGroupsCaptured = 2000;

/// What readers read beside the sources of metrics.
constexpr std::array<const char*, 3> kOtherFiles{"proc/uptime", "proc/stat", "proc/self/mountinfo"};

bool is_number(std::string_view text) {
  return parse_u64(text).has_value();
}

/// Whether a folder of this name is an instance that {key} stands for.
bool stands_for(std::string_view key, std::string_view name) {
  if (key == "pid" || key == "tid") return is_number(name);
  if (key == "cpu") return name.starts_with("cpu") && is_number(name.substr(3));
  return true;
}

class Capture {
 public:
  Capture(const Machine& machine, const std::string& folder)
      : machine_(machine), out_(machine, folder) {}

  Result<CaptureSummary> run() {
    write_clock();
    copy_sources();
    copy_nodes();
    copy_processes();
    copy_groups();
    write_accounts();
    write_services();
    if (out_.error()) return tl::unexpected(*out_.error());
    return out_.summary();
  }

 private:
  void write_clock() {
    Clocks clocks = machine_.clocks();
    out_.write("tacho/clock",
               fmt::format("realtime_ns {}\nmonotonic_ns {}\nboottime_ns {}\n", clocks.realtime_ns,
                           clocks.monotonic_ns, clocks.boottime_ns));
  }

  void copy_sources() {
    std::set<std::string> paths(kOtherFiles.begin(), kOtherFiles.end());
    for (size_t i = 0; i < kTableCount; ++i) {
      for (const Source* source : sources_of(table_view(static_cast<TableId>(i)))) {
        std::string path(source->path.substr(0, source->path.find('#')));
        bool is_file = path.find('/') != std::string::npos && source != &schema::kCpuNode;
        if (is_file && path.find("{cgroup}") == std::string::npos) paths.insert(path);
      }
    }
    for (const std::string& path : paths)
      copy_instances(path);
  }

  /// The file itself, or one for each folder that stands where the path has {key}.
  void copy_instances(const std::string& path) {
    size_t open = path.find('{');
    if (open == std::string::npos) {
      copy_file(path);
      return;
    }
    size_t close = path.find('}', open);
    if (close == std::string::npos) return;
    std::string key = path.substr(open + 1, close - open - 1);
    std::vector<std::string> names;
    if (!machine_.list(path.substr(0, open - 1).c_str(), names)) return;
    for (const std::string& name : names) {
      if (stands_for(key, name)) {
        copy_instances(path.substr(0, open) + name + path.substr(close + 1));
      }
    }
  }

  void copy_file(const std::string& path) {
    if (path.ends_with("/cmdline")) {
      copy_command_line(path);
      return;
    }
    auto text = out_.copy(path);
    if (text && path.ends_with("/status")) note_accounts(*text);
  }

  void copy_command_line(const std::string& path) {
    Buffer buffer;
    auto text = machine_.read(path.c_str(), buffer);
    if (!text) return;
    // Arguments with spaces fall apart, which the joined line does not show.
    std::string masked = masked_command_line(*text);
    std::ranges::replace(masked, ' ', '\0');
    if (!masked.empty()) masked.push_back('\0');
    out_.write(path, masked);
  }

  void note_accounts(std::string_view status) {
    std::string_view line;
    while (next_line(status, line)) {
      std::string_view key = next_field(line);
      if (key != "Uid:" && key != "Gid:") continue;
      std::string_view field;
      while (!(field = next_field(line)).empty()) {
        if (auto id = parse_u64(field)) (key == "Uid:" ? users_ : groups_).insert(*id);
      }
    }
  }

  void copy_nodes() {
    std::string folder(schema::kCpuNode.path);
    std::vector<std::string> names;
    if (!machine_.list(folder.c_str(), names)) return;
    for (const std::string& name : names) {
      if (name.starts_with("node")) out_.copy(fmt::format("{}/{}/cpulist", folder, name));
    }
  }

  void copy_processes() {
    for (const char* ns : {"net", "mnt"}) {
      std::string path = fmt::format("proc/self/ns/{}", ns);
      out_.copy_link(path);
      if (auto own = machine_.link(path.c_str())) first_in_.emplace(*own, "self");
    }
    std::vector<std::string> names;
    if (!machine_.list("proc", names)) return;
    for (const std::string& pid : names) {
      if (!is_number(pid)) continue;
      copy_namespace(pid, "net", "net", {"tcp", "tcp6", "udp", "udp6"});
      copy_namespace(pid, "mnt", "mountinfo", {});
      copy_socket_links(pid);
    }
  }

  /// What a namespace shows is copied with its first process; the others link to that.
  void copy_namespace(const std::string& pid, const char* ns, const std::string& what,
                      const std::vector<std::string>& files) {
    std::string path = fmt::format("proc/{}/ns/{}", pid, ns);
    auto name = machine_.link(path.c_str());
    if (!name) return;
    out_.copy_link(path);
    auto [first, fresh] = first_in_.emplace(*name, pid);
    if (first->second == "self") return;
    std::string own = fmt::format("proc/{}/{}", pid, what);
    if (!fresh) {
      out_.make_link(own, fmt::format("../{}/{}", first->second, what));
    } else if (files.empty()) {
      out_.copy(own);
      points_.push_back(fmt::format("/proc/{}/root/dev/shm", pid));
    }
    for (const std::string& file : files) {
      if (fresh) out_.copy(own + "/" + file);
    }
  }

  void copy_socket_links(const std::string& pid) {
    std::string folder = fmt::format("proc/{}/fd", pid);
    std::vector<std::string> names;
    if (!machine_.list(folder.c_str(), names)) return;
    for (const std::string& name : names) {
      std::string path = folder + "/" + name;
      auto target = machine_.link(path.c_str());
      if (target && target->starts_with("socket:[")) out_.make_link(path, *target);
    }
  }

  void copy_groups() {
    std::vector<CgroupSource> sources = cgroup_sources();
    for (const CgroupHierarchy& hierarchy : find_hierarchies(machine_)) {
      std::vector<std::string> found;
      list_populated_groups(machine_, hierarchy, kMostGroupsCaptured, found);
      std::set<std::string> groups;
      for (const std::string& group : found) {
        for (std::string_view at = group; !at.empty(); at = parent_group(at))
          groups.emplace(at);
      }
      for (const std::string& group : groups) {
        auto folder = folder_of(hierarchy, group);
        if (!folder) continue;
        for (const char* file : {"cgroup.procs", "cgroup.events", "cgroup.controllers"})
          out_.copy(*folder + "/" + file);
        for (const CgroupSource& source : sources) {
          if (hierarchy.has(source.controller)) out_.copy(*folder + "/" + source.file);
        }
      }
    }
  }

  void write_accounts() {
    Users users;
    std::string text;
    for (uint64_t uid : users_)
      text += fmt::format("{}:x:{}:{}:::\n", users.name(uid, machine_), uid, uid);
    if (!text.empty()) out_.write("etc/passwd", text);
    Groups groups;
    text.clear();
    for (uint64_t gid : groups_)
      text += fmt::format("{}:x:{}:\n", groups.name(gid, machine_), gid);
    if (!text.empty()) out_.write("etc/group", text);
  }

  void write_services() {
    if (auto facts = system_facts(machine_)) {
      out_.write("tacho/system", system_facts_text(*facts));
    }
    if (auto mounts = read_mounts(machine_)) {
      for (const Mount& mount : local_mounts(*mounts))
        points_.push_back(mount.point);
    }
    std::string text;
    for (const std::string& point : points_) {
      if (auto use = filesystem_use(machine_, point)) text += statfs_line(point, *use);
    }
    out_.write("tacho/statfs", text);
    text.clear();
    std::vector<std::string> devices;
    if (machine_.list("sys/class/net", devices)) {
      for (const std::string& device : devices) {
        auto modes = supported_link_modes(machine_, device);
        if (modes) text += fmt::format("{} {}\n", device, link_modes_text(*modes));
      }
    }
    out_.write("tacho/ethtool", text);
    for (SocketProtocol protocol : kSocketProtocols) {
      std::string path = fmt::format("tacho/inet_diag.{}", name(protocol));
      if (!has_inet_diag(protocol)) {
        // The text file alone.
      } else if (!machine_.is_live()) {
        out_.copy(path);
      } else if (auto bytes = inet_diag_dump(protocol)) {
        out_.write(path, *bytes);
      }
      // Readers fall back to these where the kernel has no inet_diag.
      out_.copy(fmt::format("proc/net/{}", name(protocol)));
    }
  }

  const Machine& machine_;
  CaptureFolder out_;
  std::set<uint64_t> users_;
  std::set<uint64_t> groups_;
  std::unordered_map<std::string, std::string> first_in_;  ///< namespace → process
  std::vector<std::string> points_;                        ///< asked by statfs
};

}  // namespace

Result<CaptureSummary> capture(const Machine& machine, const std::string& folder) {
  if (auto made = make_folders(folder, 0755); !made) return tl::unexpected(made.error());
  auto target = Machine::rooted({folder});
  if (!target) return tl::unexpected(target.error());
  std::vector<std::string> names;
  auto listed = (*target)->list(".", names);
  if (!listed) return tl::unexpected(listed.error());
  if (!names.empty()) {
    return fail(Errc::invalid, "{} is not empty; name a new folder", folder);
  }
  return Capture(machine, folder).run();
}

}  // namespace tacho
