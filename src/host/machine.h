// The only door to the machine: its files, its clocks, and what no file holds (statfs, uname,
// netlink, the kernel log). Live it is the running system; rooted it is a folder laid out like "/"
// whose subfolder tacho/ holds, one file per service, what `tacho capture` wrote there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"

namespace tacho {

/// Grows to the largest file read through it, and is then reused.
class Buffer {
 public:
  Buffer() : bytes_(16384) {}
  [[nodiscard]] char* data() { return bytes_.data(); }
  [[nodiscard]] size_t size() const { return bytes_.size(); }
  void grow() { bytes_.resize(bytes_.size() * 2); }

 private:
  std::vector<char> bytes_;
};

/// Paths are relative to the root and have no leading slash: "proc/stat". Safe to use from several
/// threads, except next_root().
class Machine : public std::enable_shared_from_this<Machine> {
 public:
  [[nodiscard]] static std::shared_ptr<Machine> live();
  /// Folders that are successive moments of one machine. Fails where the first cannot be opened.
  [[nodiscard]] static Result<std::shared_ptr<Machine>> rooted(std::vector<std::string> folders);

  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() = default;

  [[nodiscard]] bool is_live() const { return live_; }
  /// The folder of tacho/ files of a rooted machine ("DIR/tacho"); empty when live.
  [[nodiscard]] std::string service_folder() const;

  /// Live: now. Rooted: what tacho/clock holds, else boottime and monotonic from proc/uptime,
  /// realtime from proc/stat's btime.
  [[nodiscard]] Clocks clocks() const;
  /// Moves a rooted machine to its next folder; false where there is none (and always when live).
  bool next_root();
  /// Grows by one with every next_root(): descriptors opened before belong to the past.
  [[nodiscard]] uint64_t epoch() const { return epoch_; }

  [[nodiscard]] Result<Fd> open(const char* path) const;
  /// Opens, reads whole, closes. The text lies in `buffer`.
  [[nodiscard]] Result<std::string_view> read(const char* path, Buffer& buffer) const;
  /// Reads all of a descriptor that open() gave, from its beginning.
  [[nodiscard]] static Result<std::string_view> read(const Fd& fd, Buffer& buffer);
  /// The same of a file that the kernel makes as a single record (those of one process, of one
  /// control group): one pread gives it whole, and no second one has to find its end.
  [[nodiscard]] static Result<std::string_view> read_record(const Fd& fd, Buffer& buffer);
  /// Names in a folder, without "." and "..", in the kernel's order.
  [[nodiscard]] Result<void> list(const char* path, std::vector<std::string>& names) const;
  /// The same, of subfolders only.
  [[nodiscard]] Result<void> list_folders(const char* path, std::vector<std::string>& names) const;
  [[nodiscard]] Result<std::string> link(const char* path) const;
  [[nodiscard]] bool exists(const char* path) const;
  /// For readers that walk by themselves (openat, getdents64).
  [[nodiscard]] int root_fd() const { return root_.get(); }

 private:
  Machine() = default;
  Result<void> enter(size_t folder);

  bool live_ = true;
  Fd root_;
  std::vector<std::string> folders_;
  size_t folder_ = 0;
  uint64_t epoch_ = 0;
};

/// A file read again and again through one kept-open descriptor: pread at 0 is 3 to 20 times
/// cheaper than opening anew. Reopens by itself when the machine has moved on or the file was gone.
class KeptFile {
 public:
  explicit KeptFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] Result<std::string_view> read(const Machine& machine, Buffer& buffer);
  [[nodiscard]] const std::string& path() const { return path_; }
  void close() { fd_.reset(); }

 private:
  std::string path_;
  Fd fd_;
  uint64_t epoch_ = 0;
};

}  // namespace tacho
