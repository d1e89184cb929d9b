#include "host/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/text.h"

namespace tacho {

std::optional<KernelRecord> parse_kernel_record(std::string_view text) {
  size_t semicolon = text.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  auto fields = split(text.substr(0, semicolon), ',');
  if (fields.size() < 3) return std::nullopt;
  auto sequence = parse_u64(fields[1]);
  auto time = parse_u64(fields[2]);
  if (!sequence || !time) return std::nullopt;
  std::string_view message = text.substr(semicolon + 1);
  return KernelRecord{*sequence, *time, message.substr(0, message.find('\n'))};
}

Result<KernelLog> KernelLog::open() {
  auto fd = open_file("/dev/kmsg", O_RDONLY | O_NONBLOCK);
  if (!fd) return tl::unexpected(fd.error());
  if (lseek(fd->get(), 0, SEEK_END) < 0) return fail_errno(errno, "/dev/kmsg");
  KernelLog log;
  log.fd_ = std::move(*fd);
  return log;
}

std::optional<KernelRecord> KernelLog::next() {
  // EPIPE tells once that records were overwritten and moves on to the oldest that is left; EINVAL
  // that one did not fit. A bound, so that no error can hold the reader here.
  for (int attempts = 0; attempts < 16; ++attempts) {
    ssize_t got = ::read(fd_.get(), record_.data(), record_.size());
    if (got < 0 && (errno == EINTR || errno == EPIPE || errno == EINVAL)) continue;
    if (got <= 0) return std::nullopt;
    auto record = parse_kernel_record({record_.data(), static_cast<size_t>(got)});
    if (!record) continue;
    if (expected_ && record->sequence > *expected_) lost_ += record->sequence - *expected_;
    expected_ = record->sequence + 1;
    return record;
  }
  return std::nullopt;
}

uint64_t KernelLog::take_lost() {
  return std::exchange(lost_, 0);
}

}  // namespace tacho
