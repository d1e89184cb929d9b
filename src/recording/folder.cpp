#include "recording/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "recording/chunk.h"
#include "recording/format.h"

namespace tacho {

Result<FolderList> list_folder(const std::string& folder) {
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return fail_errno(errno, folder);
  FolderList list;
  while (const dirent* entry = readdir(dir)) {
    std::string name = entry->d_name;
    if (!first_number_of(name)) continue;
    if (name.ends_with(".seg")) list.segments.push_back(name);
    if (name.starts_with("tail-")) list.tails.push_back(name);
  }
  closedir(dir);
  std::ranges::sort(list.segments);
  std::ranges::sort(list.tails);
  return list;
}

Result<void> check_format(const std::string& folder) {
  auto text = read_file(folder + "/" + kMarkFile);
  if (!text && text.error().code == Errc::not_found) {
    return fail(Errc::not_found, "{} holds no recording", folder);
  }
  if (!text && text.error().code == Errc::no_permission) return fail_unreadable(folder);
  if (!text) return tl::unexpected(text.error());
  // Only the beginning is for all times: a later format may have more to say.
  std::string_view lines = *text;
  std::string_view rest;
  next_line(lines, rest);
  bool ours = next_field(rest) == "tacho" && next_field(rest) == "recording";
  auto version = parse_u64(next_field(rest));
  if (!ours || !version) return fail(Errc::invalid, "{} holds no recording of tacho", folder);
  if (*version > kFormatVersion) {
    return fail(Errc::too_new, "{} was recorded in format {}; this tacho reads up to {}", folder,
                *version, kFormatVersion);
  }
  return {};
}

Result<void> check_may_begin(const std::string& folder) {
  // What tacho itself puts there before a recording begins, and what new file systems hold.
  constexpr std::array<std::string_view, 5> kHarmless{"lock", "control", "recorder.log", "runs",
                                                      "lost+found"};
  std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(folder.c_str()), closedir);
  if (!dir) return fail_errno(errno, folder);
  while (const dirent* entry = readdir(dir.get())) {
    std::string_view name = entry->d_name;
    bool ours = first_number_of(name) || name.starts_with(kMarkFile);
    if (name == "." || name == ".." || ours ||
        std::ranges::find(kHarmless, name) != kHarmless.end())
      continue;
    return fail(Errc::invalid, "{} is somebody else's folder ('{}' lies there); name an empty one",
                folder, name);
  }
  return {};
}

Result<void> write_format(const std::string& folder, mode_t mode) {
  return replace_file(folder + "/" + kMarkFile, fmt::format("tacho recording {}\n", kFormatVersion),
                      mode);
}

namespace {

std::string header_of(uint32_t magic, const std::string& plain) {
  std::string schema = compress(plain);
  std::string bytes;
  ByteWriter out(bytes);
  out.fixed(magic);
  out.fixed(kFormatVersion);
  out.fixed(uint16_t{0});
  out.fixed(static_cast<uint32_t>(schema.size()));
  out.fixed(static_cast<uint32_t>(plain.size()));
  out.fixed(checksum(schema, magic));
  return bytes + schema;
}

}  // namespace

std::string file_header(uint32_t magic) {
  return header_of(magic, encode_schema());
}

std::string file_header(uint32_t magic, const RecordedSchema& schema) {
  return header_of(magic, encode_schema(schema));
}

Result<OpenedFile> parse_file(std::string bytes, uint32_t magic, const std::string& path) {
  ByteReader in(bytes);
  bool ours = in.fixed<uint32_t>() == magic;
  auto version = in.fixed<uint16_t>();
  in.fixed<uint16_t>();
  auto packed_size = in.fixed<uint32_t>();
  auto plain_size = in.fixed<uint32_t>();
  auto sum = in.fixed<uint64_t>();
  std::string_view packed = in.raw(packed_size);
  if (ours && version > kFormatVersion) {
    return fail(Errc::too_new, "{} is of format {}; this tacho reads up to {}", path, version,
                kFormatVersion);
  }
  if (!in.ok() || !ours || checksum(packed, magic) != sum) {
    return fail(Errc::corrupt, "{}: its header is damaged", path);
  }
  auto plain = decompress(packed, plain_size, kMaxSchema);
  auto schema = plain ? decode_schema(*plain) : fail(Errc::corrupt, "{}: no schema", path);
  if (!schema) return tl::unexpected(schema.error());
  OpenedFile file;
  file.schema = std::make_shared<RecordedSchema>(std::move(*schema));
  file.body = kFileHeader + packed_size;
  file.bytes = std::move(bytes);
  return file;
}

Result<OpenedFile> open_header(const Fd& fd, const std::string& path, uint32_t magic) {
  auto head = read_at(fd, path, 0, kFileHeader);
  if (!head) return tl::unexpected(head.error());
  uint64_t packed_size = 0;
  if (head->size() >= kFileHeader) {
    ByteReader in(std::string_view(*head).substr(8));
    packed_size = in.fixed<uint32_t>();
  }
  auto bytes = read_at(fd, path, 0, kFileHeader + std::min<uint64_t>(packed_size, kMaxSchema));
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_file(std::move(*bytes), magic, path);
}

Result<OpenedFile> open_header(const std::string& path, uint32_t magic) {
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return tl::unexpected(fd.error());
  return open_header(*fd, path, magic);
}

Result<std::string> read_at(const Fd& fd, const std::string& path, uint64_t offset, size_t length) {
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) return fail_errno(errno, path);
  auto size = static_cast<uint64_t>(status.st_size);
  // Nothing is made room for that is not there: a length may be damaged.
  std::string bytes(offset < size ? std::min<uint64_t>(length, size - offset) : 0, '\0');
  size_t got = 0;
  while (got < bytes.size()) {
    ssize_t n =
        pread(fd.get(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, path);
    if (n == 0) break;
    got += static_cast<size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

Result<std::string> read_at(const std::string& path, uint64_t offset, size_t length) {
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return tl::unexpected(fd.error());
  return read_at(*fd, path, offset, length);
}

std::string segment_name(uint64_t first_number, int64_t realtime_ns) {
  return fmt::format("{:012}-{}.seg", first_number, local_time(realtime_ns, "%Y-%m-%d"));
}

std::string tail_name(uint64_t first_number) {
  return fmt::format("tail-{:012}", first_number);
}

std::string index_name(std::string_view segment) {
  return std::string(segment.substr(0, segment.size() - 4)) + ".idx";
}

std::optional<uint64_t> first_number_of(std::string_view name) {
  if (name.starts_with("tail-")) return parse_u64(name.substr(5));
  return parse_u64(name.substr(0, name.find('-')));
}

}  // namespace tacho
