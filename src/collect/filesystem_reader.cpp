#include "collect/filesystem_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "collect/tree.h"
#include "host/mounts.h"
#include "schema/disk.h"

namespace tacho {
namespace {

/// Mount namespaces of the watched tree that are looked into, and processes asked for theirs.
constexpr size_t kMostNamespaces = 4;
constexpr size_t kMostAsked = 256;

class FilesystemReader : public Reader {
 public:
  explicit FilesystemReader(std::shared_ptr<const WatchList> list) : list_(std::move(list)) {}
  TableId table() const override { return TableId::filesystem; }
  bool slow() const override { return true; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    const Machine& machine = collecting.machine;
    auto mounts = read_mounts(machine);
    if (!mounts) return tl::unexpected(mounts.error());
    for (const Mount& mount : local_mounts(*mounts))
      fill(machine, mount, rows);
    for (const Mount& mount : shared_memory_of_the_tree(machine))
      fill(machine, mount, rows);
    return {};
  }

 private:
  static void fill(const Machine& machine, const Mount& mount, Rows& rows) {
    size_t row = rows.append();
    rows.set_text(row, schema::filesystem["mount"], mount.point);
    rows.set_text(row, schema::filesystem["device"], mount.source);
    rows.set_text(row, schema::filesystem["type"], mount.type);
    rows.set(row, schema::filesystem["read_only"], mount.read_only ? 1 : 0);
    auto use = filesystem_use(machine, mount.point);
    Absent failed = use ? Absent::no : absent_of(use.error());
    auto set = [&](Column column, uint64_t value, Absent absent) {
      if (absent == Absent::no) {
        rows.set(row, column, value);
      } else {
        rows.set_absent(row, column, absent);
      }
    };
    FilesystemUse found = use ? *use : FilesystemUse{};
    auto kib = [&](uint64_t blocks) {
      return static_cast<uint64_t>(static_cast<unsigned __int128>(blocks) * found.block_size /
                                   1024);
    };
    // A ramfs has no size, a btrfs no count of inodes: 0 stands for "as many as there is room for".
    Absent size = failed != Absent::no || found.blocks > 0 ? failed : Absent::not_applicable;
    Absent inodes = failed != Absent::no || found.inodes > 0 ? failed : Absent::not_applicable;
    set(schema::filesystem["block_size"], found.block_size, failed);
    set(schema::filesystem["size"], kib(found.blocks), size);
    set(schema::filesystem["free"], kib(found.free), size);
    set(schema::filesystem["available"], kib(found.available), size);
    set(schema::filesystem["inodes"], found.inodes, inodes);
    set(schema::filesystem["inodes_free"], found.inodes_free, inodes);
  }

  /// The /dev/shm of each mount namespace of the watched tree that is not our own.
  std::vector<Mount> shared_memory_of_the_tree(const Machine& machine) const {
    std::vector<Mount> found;
    auto own = machine.link("proc/self/ns/mnt");
    if (!own) return found;
    std::vector<std::string> seen{*own};
    size_t asked = 0;
    for (uint64_t pid : list_->members()) {
      if (seen.size() > kMostNamespaces || ++asked > kMostAsked) break;
      auto ns = machine.link(fmt::format("proc/{}/ns/mnt", pid).c_str());
      if (!ns || std::ranges::find(seen, *ns) != seen.end()) continue;
      seen.push_back(*ns);
      auto mounts = read_mounts(machine, std::to_string(pid));
      if (!mounts) continue;
      for (Mount& mount : local_mounts(*mounts)) {
        if (mount.point != "/dev/shm") continue;
        mount.point = fmt::format("/proc/{}/root/dev/shm", pid);
        found.push_back(std::move(mount));
      }
    }
    return found;
  }

  std::shared_ptr<const WatchList> list_;
};

}  // namespace

std::unique_ptr<Reader> make_filesystem_reader(std::shared_ptr<const WatchList> list) {
  return std::make_unique<FilesystemReader>(std::move(list));
}

}  // namespace tacho
