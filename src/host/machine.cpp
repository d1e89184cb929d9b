#include "host/machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/text.h"

namespace tacho {

std::shared_ptr<Machine> Machine::live() {
  std::shared_ptr<Machine> machine(new Machine);
  machine->root_ = Fd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return machine;
}

Result<std::shared_ptr<Machine>> Machine::rooted(std::vector<std::string> folders) {
  std::shared_ptr<Machine> machine(new Machine);
  machine->live_ = false;
  machine->folders_ = std::move(folders);
  if (machine->folders_.empty()) return fail(Errc::invalid, "no folder to take the machine from");
  auto entered = machine->enter(0);
  if (!entered) return tl::unexpected(entered.error());
  return machine;
}

Result<void> Machine::enter(size_t folder) {
  auto root = open_file(folders_[folder], O_PATH | O_DIRECTORY);
  if (!root) return tl::unexpected(root.error());
  root_ = std::move(*root);
  folder_ = folder;
  ++epoch_;
  return {};
}

bool Machine::next_root() {
  return !live_ && folder_ + 1 < folders_.size() && enter(folder_ + 1).has_value();
}

std::string Machine::service_folder() const {
  return live_ ? "" : folders_[folder_] + "/tacho";
}

namespace {

/// "realtime_ns 1\nmonotonic_ns 2\nboottime_ns 3".
std::optional<Clocks> parse_clocks(std::string_view text) {
  Clocks clocks;
  unsigned found = 0;
  std::string_view line;
  while (next_line(text, line)) {
    std::string_view name = next_field(line);
    auto ns = parse_i64(next_field(line));
    if (!ns) return std::nullopt;
    if (name == "realtime_ns") {
      clocks.realtime_ns = *ns;
    } else if (name == "monotonic_ns") {
      clocks.monotonic_ns = *ns;
    } else if (name == "boottime_ns") {
      clocks.boottime_ns = *ns;
    } else {
      continue;
    }
    ++found;
  }
  return found == 3 ? std::optional(clocks) : std::nullopt;
}

}  // namespace

Clocks Machine::clocks() const {
  if (live_) return Clocks::now();
  Clocks clocks;
  Buffer buffer;
  if (auto text = read("tacho/clock", buffer)) {
    if (auto captured = parse_clocks(*text)) return *captured;
  }
  if (auto uptime = read("proc/uptime", buffer)) {
    std::string_view rest = *uptime;
    if (auto ns = parse_fixed(next_field(rest), 9)) clocks.boottime_ns = *ns;
  }
  clocks.monotonic_ns = clocks.boottime_ns;
  clocks.realtime_ns = clocks.boottime_ns;
  if (auto stat = read("proc/stat", buffer)) {
    std::string_view rest = *stat;
    std::string_view line;
    while (next_line(rest, line)) {
      if (next_field(line) != "btime") continue;
      if (auto seconds = parse_u64(next_field(line)); seconds && *seconds < 1'000'000'000'0) {
        clocks.realtime_ns += static_cast<int64_t>(*seconds) * kSecond;
      }
    }
  }
  return clocks;
}

Result<Fd> Machine::open(const char* path) const {
  int fd = -1;
  do {
    fd = openat(root_.get(), path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return fail_errno(errno, path);
  return Fd(fd);
}

Result<std::string_view> Machine::read(const Fd& fd, Buffer& buffer) {
  size_t length = 0;
  while (true) {
    if (length == buffer.size()) buffer.grow();
    ssize_t got =
        pread(fd.get(), buffer.data() + length, buffer.size() - length, static_cast<off_t>(length));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "read");
    length += static_cast<size_t>(got);
    // The kernel fills small files in one read; a short one may still be followed by more (seq_file
    // hands out whole records), so only an empty read is the end. One page is never exceeded by the
    // files read most often, and those end within the first read.
    if (got == 0) return std::string_view(buffer.data(), length);
  }
}

Result<std::string_view> Machine::read_record(const Fd& fd, Buffer& buffer) {
  while (true) {
    ssize_t got = pread(fd.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(Error{errc_of(errno), ""});
    if (static_cast<size_t>(got) < buffer.size()) {
      return std::string_view(buffer.data(), static_cast<size_t>(got));
    }
    buffer.grow();
  }
}

Result<std::string_view> Machine::read(const char* path, Buffer& buffer) const {
  auto fd = open(path);
  if (!fd) return tl::unexpected(fd.error());
  auto text = read(*fd, buffer);
  if (!text) text.error().what = fmt::format("{}: {}", path, text.error().what);
  return text;
}

namespace {

bool is_folder(int folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat found {};
  return fstatat(folder, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode);
}

Result<void> list_entries(int root, const char* path, bool folders_only,
                          std::vector<std::string>& names) {
  names.clear();
  int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail_errno(errno, path);
  DIR* folder = fdopendir(fd);
  if (folder == nullptr) {
    int error = errno;
    ::close(fd);
    return fail_errno(error, path);
  }
  while (const dirent* entry = readdir(folder)) {
    std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (!folders_only || is_folder(fd, *entry)) names.emplace_back(name);
  }
  closedir(folder);
  return {};
}

}  // namespace

Result<void> Machine::list(const char* path, std::vector<std::string>& names) const {
  return list_entries(root_.get(), path, false, names);
}

Result<void> Machine::list_folders(const char* path, std::vector<std::string>& names) const {
  return list_entries(root_.get(), path, true, names);
}

Result<std::string> Machine::link(const char* path) const {
  std::array<char, 4096> target;
  ssize_t length = readlinkat(root_.get(), path, target.data(), target.size());
  if (length < 0) return fail_errno(errno, path);
  return std::string(target.data(), static_cast<size_t>(length));
}

bool Machine::exists(const char* path) const {
  return faccessat(root_.get(), path, F_OK, 0) == 0;
}

Result<std::string_view> KeptFile::read(const Machine& machine, Buffer& buffer) {
  if (epoch_ != machine.epoch()) fd_.reset();
  if (!fd_) {
    auto opened = machine.open(path_.c_str());
    if (!opened) return tl::unexpected(opened.error());
    fd_ = std::move(*opened);
    epoch_ = machine.epoch();
  }
  auto text = Machine::read(fd_, buffer);
  if (!text) {
    fd_.reset();
    text.error().what = fmt::format("{}: {}", path_, text.error().what);
  }
  return text;
}

}  // namespace tacho
