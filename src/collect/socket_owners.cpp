#include "collect/socket_owners.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>

#include "base/clock.h"
#include "base/text.h"
#include "collect/socket_holders.h"

namespace tacho {
namespace {

constexpr size_t kMostLinks = 100'000;  ///< of one scan: 0.3 s
constexpr int64_t kRest = 20;           ///< times as long as a scan took, before the next one
/// A socket that nobody seemed to hold may have been handed over just then.
constexpr int64_t kLookAgain = 60 * kSecond;

/// Shows each descriptor of the process that is a socket; `visit` gives false to stop. False where
/// the descriptors may not be read.
bool visit_descriptors(const Machine& machine, uint64_t pid, size_t& links,
                       const std::function<bool(uint64_t inode, uint64_t descriptor)>& visit) {
  std::string path = fmt::format("proc/{}/fd", pid);
  int fd = openat(machine.root_fd(), path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno != EACCES && errno != EPERM;
  DIR* folder = fdopendir(fd);
  if (folder == nullptr) {
    ::close(fd);
    return true;
  }
  std::array<char, 64> target;
  while (const dirent* entry = readdir(folder)) {
    auto descriptor = parse_u64(entry->d_name);
    if (!descriptor) continue;
    ++links;
    ssize_t length = readlinkat(dirfd(folder), entry->d_name, target.data(), target.size());
    if (length <= 0) continue;
    auto inode = socket_inode({target.data(), static_cast<size_t>(length)});
    if (inode && !visit(*inode, *descriptor)) break;
  }
  closedir(folder);
  return true;
}

std::vector<uint64_t> all_pids(const Machine& machine) {
  std::vector<std::string> names;
  std::vector<uint64_t> pids;
  if (!machine.list("proc", names)) return pids;
  for (const std::string& entry : names) {
    if (auto pid = parse_u64(entry)) pids.push_back(*pid);
  }
  std::ranges::sort(pids);
  return pids;
}

}  // namespace

std::unordered_set<uint64_t> SocketOwners::sockets_of(const Machine& machine,
                                                      const std::vector<uint64_t>& pids) {
  std::unordered_set<uint64_t> inodes;
  size_t links = 0;
  for (uint64_t pid : pids) {
    visit_descriptors(machine, pid, links, [&](uint64_t inode, uint64_t) {
      inodes.insert(inode);
      return true;
    });
    if (links > kMostLinks) break;
  }
  return inodes;
}

bool SocketOwners::still_holds(const Machine& machine, uint64_t inode, const Owner& owner) const {
  auto link = machine.link(fmt::format("proc/{}/fd/{}", owner.pid, owner.descriptor).c_str());
  return link && socket_inode(*link) == inode;
}

void SocketOwners::look_up(const Machine& machine, const std::vector<uint64_t>& inodes) {
  if (epoch_ != machine.epoch()) {
    owners_.clear();
    not_before_ns_ = 0;
    epoch_ = machine.epoch();
  }
  int64_t now = monotonic_ns();
  std::unordered_map<uint64_t, Owner> kept;
  std::unordered_set<uint64_t> wanted;
  for (uint64_t inode : inodes) {
    if (inode == 0) continue;
    auto found = owners_.find(inode);
    Owner owner = found == owners_.end() ? Owner{} : found->second;
    bool known = owner.absent == Absent::no;
    if (known && !still_holds(machine, inode, owner)) owner = Owner{};
    bool old = now - owner.looked_ns > kLookAgain;
    if (owner.absent == Absent::not_due || (owner.absent != Absent::no && old)) {
      wanted.insert(inode);
    }
    kept.emplace(inode, owner);
  }
  owners_ = std::move(kept);
  if (!wanted.empty() && now >= not_before_ns_) scan(machine, wanted, now);
}

void SocketOwners::scan(const Machine& machine, std::unordered_set<uint64_t>& wanted,
                        int64_t now_ns) {
  std::vector<uint64_t> pids = all_pids(machine);
  auto start = std::ranges::lower_bound(pids, next_pid_);
  std::rotate(pids.begin(), start, pids.end());
  next_pid_ = 0;
  size_t links = 0;
  bool denied = false;
  for (uint64_t pid : pids) {
    if (wanted.empty()) break;
    if (links > kMostLinks) {
      next_pid_ = pid;
      break;
    }
    std::optional<std::string> program;
    bool readable = visit_descriptors(machine, pid, links, [&](uint64_t inode, uint64_t number) {
      if (wanted.erase(inode) > 0) {
        if (!program) program = tacho::program_of(machine, pid);
        owners_[inode] = {pid, number, Absent::no, now_ns, *program};
      }
      return !wanted.empty();
    });
    denied = denied || !readable;
  }
  bool complete = next_pid_ == 0;
  for (uint64_t inode : wanted) {
    if (!complete) break;
    owners_[inode] = {0, 0, denied ? Absent::no_permission : Absent::not_applicable, now_ns, {}};
  }
  not_before_ns_ = monotonic_ns() + kRest * (monotonic_ns() - now_ns);
}

Value SocketOwners::pid_of(uint64_t inode) const {
  if (inode == 0) return {0, Absent::not_applicable};
  auto found = owners_.find(inode);
  if (found == owners_.end()) return {0, Absent::not_due};
  return {found->second.pid, found->second.absent};
}

std::string_view SocketOwners::program_of(uint64_t inode) const {
  auto found = owners_.find(inode);
  return found == owners_.end() ? std::string_view{} : found->second.program;
}

}  // namespace tacho
