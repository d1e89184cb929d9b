// The kernel's log, record by record: Documentation/ABI/testing/dev-kmsg.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

struct KernelRecord {
  uint64_t sequence = 0;
  uint64_t since_boot_us = 0;  ///< on about the MONOTONIC clock
  std::string_view message;    ///< one line, escaped by the kernel; valid until the next record
};

/// "priority,sequence,microseconds,flags;message\n key=value…"; nothing for what is no record.
[[nodiscard]] std::optional<KernelRecord> parse_kernel_record(std::string_view text);

/// Each reader of /dev/kmsg has a place of its own; this one starts at the end. Never waits.
class KernelLog {
 public:
  /// no_permission for ordinary users where kernel.dmesg_restrict is set or the device is root's;
  /// not_found in most containers.
  [[nodiscard]] static Result<KernelLog> open();
  /// The next record, or nothing when there is none yet.
  [[nodiscard]] std::optional<KernelRecord> next();
  /// How many records were overwritten before they could be read, since the last call.
  [[nodiscard]] uint64_t take_lost();

 private:
  Fd fd_;
  std::array<char, 8192> record_{};  // the kernel's records are at most that long
  std::optional<uint64_t> expected_;
  uint64_t lost_ = 0;
};

}  // namespace tacho
