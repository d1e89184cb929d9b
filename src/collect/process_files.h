// The files of one process, read again and again through kept-open descriptors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "host/machine.h"

namespace tacho {

enum class ProcessFile : uint8_t { stat, schedstat, io, status, statm };
inline constexpr size_t kProcessFiles = 5;

/// How many descriptors all processes together may keep open; shared by their files.
class DescriptorBudget {
 public:
  explicit DescriptorBudget(size_t most) : left_(most) {}
  bool take() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  void give() { ++left_; }

 private:
  size_t left_;
};

/// One pread of a kept-open descriptor costs a third of opening anew (docs/figures.md). Beyond the
/// budget files are opened, read and closed each time.
class ProcessFiles {
 public:
  ProcessFiles(uint64_t pid, DescriptorBudget& budget) : pid_(pid), budget_(budget) {}
  ~ProcessFiles();
  ProcessFiles(const ProcessFiles&) = delete;
  ProcessFiles& operator=(const ProcessFiles&) = delete;

  /// The text lies in `buffer` until the next read. Errors: gone (the process ended),
  /// no_permission, not_found. These files are a single record, which one pread gives whole.
  [[nodiscard]] Result<std::string_view> read(ProcessFile file, const Machine& machine,
                                              Buffer& buffer);

 private:
  uint64_t pid_;
  DescriptorBudget& budget_;
  std::array<Fd, kProcessFiles> fds_;
  std::array<bool, kProcessFiles> refused_{};  ///< no permission: not asked again
  uint64_t epoch_ = 0;
};

}  // namespace tacho
