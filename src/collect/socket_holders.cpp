#include "collect/socket_holders.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"

namespace tacho {
namespace {

/// Longer first arguments are cut off, as the original cuts them.
constexpr size_t kLongestProgram = 511;

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

void look_into(const Machine& machine, uint64_t pid, HeldSockets& held) {
  std::string path = fmt::format("proc/{}/fd", pid);
  int fd = openat(machine.root_fd(), path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    held.denied = held.denied || errno == EACCES || errno == EPERM;
    return;
  }
  DIR* folder = fdopendir(fd);
  if (folder == nullptr) {
    ::close(fd);
    return;
  }
  uint32_t program = 0;
  std::array<char, 64> target;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    ssize_t length = readlinkat(fd, entry->d_name, target.data(), target.size());
    if (length <= 0) continue;
    auto inode = socket_inode({target.data(), static_cast<size_t>(length)});
    if (!inode) continue;
    if (program == 0) {
      program = static_cast<uint32_t>(held.programs.size());
      held.programs.push_back(program_of(machine, pid));
    }
    held.by_inode.try_emplace(*inode, HeldSockets::Holder{pid, program});
  }
  closedir(folder);
}

}  // namespace

std::optional<uint64_t> socket_inode(std::string_view link) {
  if (!link.starts_with("socket:[") || !link.ends_with(']')) return std::nullopt;
  return parse_u64(link.substr(8, link.size() - 9));
}

std::string program_of(const Machine& machine, uint64_t pid) {
  Buffer buffer;
  auto arguments = machine.read(fmt::format("proc/{}/cmdline", pid).c_str(), buffer);
  if (!arguments) return {};
  std::string_view first = arguments->substr(0, kLongestProgram);
  first = first.substr(0, first.find('\0'));
  if (first.starts_with('/')) first.remove_prefix(first.rfind('/') + 1);
  if (!first.empty()) return std::string(first);
  auto name = machine.read(fmt::format("proc/{}/comm", pid).c_str(), buffer);
  return name ? std::string(trim(*name)) : std::string();
}

HeldSockets::Known HeldSockets::of(uint64_t inode) const {
  auto found = inode == 0 ? by_inode.end() : by_inode.find(inode);
  if (found == by_inode.end()) {
    return {{0, denied && inode != 0 ? Absent::no_permission : Absent::not_applicable}, {}};
  }
  return {{found->second.pid, Absent::no}, programs[found->second.program]};
}

std::shared_ptr<const HeldSockets> SocketHolders::look(const Collecting& collecting) {
  std::lock_guard lock(mutex_);
  if (last_ && sample_ == collecting.sample) return last_;
  auto held = std::make_shared<HeldSockets>();
  held->programs.emplace_back();
  for (uint64_t pid : all_pids(collecting.machine))
    look_into(collecting.machine, pid, *held);
  last_ = held;
  sample_ = collecting.sample;
  return last_;
}

}  // namespace tacho
