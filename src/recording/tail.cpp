#include "recording/tail.h"

#include <fcntl.h>

#include "base/bytes.h"
#include "recording/folder.h"
#include "recording/format.h"

namespace tacho {

Result<TailReader> TailReader::open(const std::string& path) {
  TailReader reader;
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return tl::unexpected(fd.error());
  auto header = open_header(*fd, path, kTailMagic);
  if (!header) return tl::unexpected(header.error());
  reader.fd_ = std::move(*fd);
  reader.path_ = path;
  reader.schema_ = header->schema;
  reader.offset_ = header->body;
  return reader;
}

Result<std::unique_ptr<SampleDelta>> TailReader::next() {
  auto header = read_at(fd_, path_, offset_, kFrameHeader);
  if (!header) return tl::unexpected(header.error());
  if (header->size() < kFrameHeader) return nullptr;
  ByteReader in(*header);
  auto magic = in.fixed<uint32_t>();
  auto length = in.fixed<uint32_t>();
  auto number = in.fixed<uint64_t>();
  auto sum = in.fixed<uint64_t>();
  if (magic != kFrameMagic || length > kMaxPlain || number > kMaxNumber) return nullptr;
  auto body = read_at(fd_, path_, offset_ + kFrameHeader, length);
  if (!body) return tl::unexpected(body.error());
  if (body->size() < length || checksum(*body, number) != sum) return nullptr;
  auto delta = decode_delta(*body, *schema_);
  if (!delta) return tl::unexpected(delta.error());
  delta->number = number;
  offset_ += kFrameHeader + length;
  return std::make_unique<SampleDelta>(std::move(*delta));
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
