#include "host/mounts.h"

#include <sys/statfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"

namespace tacho {
namespace {

enum class Place { local, kernel, remote };

/// Unknown types count as remote: to ask a file system nobody knows may hang for ever.
Place place_of(std::string_view type) {
  static constexpr std::array<std::string_view, 36> local{
      "ext2",    "ext3",     "ext4",   "xfs",     "btrfs",    "zfs",   "bcachefs", "f2fs",
      "jfs",     "reiserfs", "nilfs2", "vfat",    "msdos",    "exfat", "ntfs",     "ntfs3",
      "hfs",     "hfsplus",  "udf",    "iso9660", "squashfs", "erofs", "cramfs",   "romfs",
      "overlay", "tmpfs",    "ramfs",  "ufs",     "minix",    "ubifs", "jffs2",    "aufs",
      "rootfs",  "apfs",     "sysv",   "befs"};
  static constexpr std::array<std::string_view, 26> kernel{
      "proc",      "sysfs",   "devtmpfs",    "devpts",     "cgroup",     "cgroup2",   "mqueue",
      "hugetlbfs", "debugfs", "tracefs",     "securityfs", "pstore",     "efivarfs",  "bpf",
      "configfs",  "fusectl", "binfmt_misc", "nsfs",       "rpc_pipefs", "selinuxfs", "bdev",
      "sockfs",    "pipefs",  "resctrl",     "smackfs",    "nfsd"};
  if (std::ranges::find(local, type) != local.end()) return Place::local;
  if (std::ranges::find(kernel, type) != kernel.end()) return Place::kernel;
  return Place::remote;
}

bool octal(char c) {
  return c >= '0' && c <= '7';
}

/// Whether path `inner` is `outer` or lies below it.
bool within(std::string_view inner, std::string_view outer) {
  if (!inner.starts_with(outer)) return false;
  return inner.size() == outer.size() || outer.ends_with('/') || inner[outer.size()] == '/';
}

/// The mounts by id, for walking up to the root.
class Chains {
 public:
  explicit Chains(const std::vector<Mount>& mounts) : mounts_(mounts) {
    for (const Mount& mount : mounts)
      by_id_.emplace(mount.id, &mount);
  }

  /// Whether the path to `mount` leads to it: through local mounts only, and past nothing that was
  /// mounted over it or over one of the mounts on the way.
  [[nodiscard]] bool reachable(const Mount& mount) const {
    std::unordered_map<uint64_t, const Mount*> on_the_way;  // parent → its mount on the way
    const Mount* at = &mount;
    for (size_t steps = 0; steps <= mounts_.size(); ++steps) {
      if (at != &mount && place_of(at->type) == Place::remote) return false;
      if (!on_the_way.emplace(at->parent, at).second) return false;  // the lines contradict
      auto above = by_id_.find(at->parent);
      if (above == by_id_.end() || above->second == at) break;
      at = above->second;
    }
    return std::ranges::none_of(mounts_, [&](const Mount& other) {
      if (other.id == mount.id) return false;
      if (other.parent == mount.id) return other.point == mount.point;  // mounted over it
      auto way = on_the_way.find(other.parent);
      if (way == on_the_way.end() || way->second->id == other.id) return false;
      return way->second->point != other.point && within(way->second->point, other.point);
    });
  }

 private:
  const std::vector<Mount>& mounts_;
  std::unordered_map<uint64_t, const Mount*> by_id_;
};

/// "… - type source options": the fields after the hyphen that ends the optional ones.
bool parse_tail(std::string_view rest, Mount& mount) {
  std::string_view field;
  while (!(field = next_field(rest)).empty() && field != "-") {
  }
  mount.type = next_field(rest);
  // An empty source would be taken for two separators: the kernel writes "none" or the like.
  mount.source = unescape_mount(next_field(rest));
  mount.options = next_field(rest);
  return field == "-" && !mount.type.empty();
}

}  // namespace

std::string unescape_mount(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      plain.push_back(static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                        (text[i + 3] - '0')));
      i += 3;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

std::string escape_mount(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\\') {
      escaped += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  std::string_view line;
  while (next_line(text, line)) {
    Mount mount;
    auto id = parse_u64(next_field(line));
    auto parent = parse_u64(next_field(line));
    mount.device = next_field(line);
    mount.root = unescape_mount(next_field(line));
    mount.point = unescape_mount(next_field(line));
    std::string_view options = next_field(line);
    if (!id || !parent || !mount.point.starts_with('/') || !parse_tail(line, mount)) continue;
    mount.id = *id;
    mount.parent = *parent;
    auto is_ro = [](std::string_view list) { return list == "ro" || list.starts_with("ro,"); };
    mount.read_only = is_ro(options) || is_ro(mount.options);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

Result<std::vector<Mount>> read_mounts(const Machine& machine, const std::string& process) {
  Buffer buffer;
  auto text = machine.read(fmt::format("proc/{}/mountinfo", process).c_str(), buffer);
  if (!text) return tl::unexpected(text.error());
  return parse_mountinfo(*text);
}

std::vector<Mount> local_mounts(const std::vector<Mount>& mounts) {
  Chains chains(mounts);
  std::vector<const Mount*> found;
  for (const Mount& mount : mounts) {
    if (place_of(mount.type) == Place::local && chains.reachable(mount)) found.push_back(&mount);
  }
  // Of one device the mount of its whole, else the one with the shortest name, stands for all.
  std::ranges::stable_sort(found, [](const Mount* a, const Mount* b) {
    bool a_whole = a->root == "/";
    bool b_whole = b->root == "/";
    return a_whole != b_whole ? a_whole : a->point.size() < b->point.size();
  });
  std::unordered_set<std::string> devices;
  std::vector<Mount> chosen;
  for (const Mount* mount : found) {
    if (devices.insert(mount->device).second) chosen.push_back(*mount);
  }
  std::ranges::sort(chosen, {}, &Mount::point);
  return chosen;
}

Result<FilesystemUse> filesystem_use(const Machine& machine, const std::string& point) {
  if (machine.is_live()) {
    struct statfs found {};
    int outcome = 0;
    do {
      outcome = ::statfs(point.c_str(), &found);
    } while (outcome < 0 && errno == EINTR);
    if (outcome < 0) return fail_errno(errno, point);
    auto size = static_cast<uint64_t>(found.f_frsize > 0 ? found.f_frsize : found.f_bsize);
    return FilesystemUse{size,           found.f_blocks, found.f_bfree,
                         found.f_bavail, found.f_files,  found.f_ffree};
  }
  Buffer buffer;
  auto text = machine.read("tacho/statfs", buffer);
  if (!text) return tl::unexpected(text.error());
  std::string_view rest = *text;
  std::string_view line;
  while (next_line(rest, line)) {
    if (unescape_mount(next_field(line)) != point) continue;
    std::array<uint64_t, 6> numbers{};
    for (uint64_t& number : numbers) {
      auto parsed = parse_u64(next_field(line));
      if (!parsed) return fail(Errc::corrupt, "tacho/statfs: {}: not six numbers", point);
      number = *parsed;
    }
    return FilesystemUse{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
  }
  return fail(Errc::not_found, "tacho/statfs does not hold {}", point);
}

std::string statfs_line(const std::string& point, const FilesystemUse& use) {
  return fmt::format("{} {} {} {} {} {} {}\n", escape_mount(point), use.block_size, use.blocks,
                     use.free, use.available, use.inodes, use.inodes_free);
}

}  // namespace tacho
