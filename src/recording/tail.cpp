#include "recording/tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/bytes.h"
#include "recording/folder.h"
#include "recording/format.h"

namespace tacho {
namespace {

/// pread of `length` bytes; fewer only at the end of the file.
Result<void> read_exact(int fd, uint64_t offset, size_t length, std::string& out) {
  out.resize(length);
  size_t got = 0;
  while (got < length) {
    ssize_t n = pread(fd, out.data() + got, length - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "reading the tail");
    if (n == 0) break;
    got += static_cast<size_t>(n);
  }
  out.resize(got);
  return {};
}

}  // namespace

Result<TailReader> TailReader::open(const std::string& path) {
  TailReader reader;
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return tl::unexpected(fd.error());
  auto header = open_header(path, kTailMagic);
  if (!header) return tl::unexpected(header.error());
  reader.fd_ = std::move(*fd);
  reader.schema_ = header->schema;
  reader.offset_ = header->body;
  return reader;
}

Result<std::unique_ptr<SampleDelta>> TailReader::next() {
  auto header = read_exact(fd_.get(), offset_, kFrameHeader, buffer_);
  if (!header) return tl::unexpected(header.error());
  if (buffer_.size() < kFrameHeader) return nullptr;
  ByteReader in(buffer_);
  auto magic = in.fixed<uint32_t>();
  auto length = in.fixed<uint32_t>();
  auto number = in.fixed<uint64_t>();
  auto sum = in.fixed<uint64_t>();
  if (magic != kFrameMagic || length > kMaxPlain) return nullptr;
  auto body = read_exact(fd_.get(), offset_ + kFrameHeader, length, buffer_);
  if (!body) return tl::unexpected(body.error());
  if (buffer_.size() < length || checksum(buffer_, number) != sum) return nullptr;
  auto delta = decode_delta(buffer_, *schema_);
  if (!delta) return tl::unexpected(delta.error());
  delta->number = number;
  offset_ += kFrameHeader + length;
  return std::make_unique<SampleDelta>(std::move(*delta));
}

Result<uint64_t> TailReader::bytes_left() const {
  struct stat status {};
  if (fstat(fd_.get(), &status) != 0) return fail_errno(errno, "reading the tail");
  auto size = static_cast<uint64_t>(status.st_size);
  return size > offset_ ? size - offset_ : 0;
}

std::string encode_frame(const SampleDelta& delta, const RecordedSchema& schema) {
  std::string payload;
  encode_delta(delta, schema, payload);
  std::string frame;
  ByteWriter out(frame);
  out.fixed(kFrameMagic);
  out.fixed(static_cast<uint32_t>(payload.size()));
  out.fixed(delta.number);
  out.fixed(checksum(payload, delta.number));
  return frame + payload;
}

}  // namespace tacho
