#include "recording/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

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
  std::string_view rest = trim(*text);
  bool ours = next_field(rest) == "tacho" && next_field(rest) == "recording";
  auto version = parse_u64(trim(rest));
  if (!ours || !version) return fail(Errc::invalid, "{} holds no recording of tacho", folder);
  if (*version > kFormatVersion) {
    return fail(Errc::too_new, "{} was recorded in format {}; this tacho reads up to {}", folder,
                *version, kFormatVersion);
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
  auto plain = decompress(packed, plain_size);
  auto schema = plain ? decode_schema(*plain) : fail(Errc::corrupt, "{}: no schema", path);
  if (!schema) return tl::unexpected(schema.error());
  OpenedFile file;
  file.schema = std::make_shared<RecordedSchema>(std::move(*schema));
  file.body = kFileHeader + packed_size;
  file.bytes = std::move(bytes);
  return file;
}

Result<OpenedFile> open_header(const std::string& path, uint32_t magic) {
  auto head = read_at(path, 0, kFileHeader);
  if (!head) return tl::unexpected(head.error());
  uint64_t packed_size = 0;
  if (head->size() >= kFileHeader) {
    ByteReader in(std::string_view(*head).substr(8));
    packed_size = in.fixed<uint32_t>();
  }
  auto bytes =
      read_at(path, 0, kFileHeader + static_cast<size_t>(std::min(packed_size, kMaxPlain)));
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_file(std::move(*bytes), magic, path);
}

void IndexEntry::set_last(int64_t last_realtime_ns) {
  int64_t duration = std::max<int64_t>(last_realtime_ns - first_realtime_ns, 0);
  int64_t ms = (duration + kMillisecond - 1) / kMillisecond;
  duration_ms = static_cast<uint32_t>(std::min<int64_t>(ms, UINT32_MAX));
}

std::string encode_index_entry(const IndexEntry& entry) {
  std::string bytes;
  ByteWriter out(bytes);
  out.fixed(entry.first_realtime_ns);
  out.fixed(entry.offset);
  out.fixed(entry.length);
  out.fixed(entry.duration_ms);
  out.fixed(entry.samples);
  out.fixed(static_cast<uint32_t>(checksum(bytes)));
  return bytes;
}

namespace {

std::optional<std::vector<IndexEntry>> parse_index(std::string_view bytes) {
  if (bytes.size() % kIndexEntry != 0) return std::nullopt;
  std::vector<IndexEntry> entries;
  for (; !bytes.empty(); bytes.remove_prefix(kIndexEntry)) {
    ByteReader in(bytes.substr(0, kIndexEntry));
    IndexEntry entry;
    entry.first_realtime_ns = in.fixed<int64_t>();
    entry.offset = in.fixed<uint64_t>();
    entry.length = in.fixed<uint32_t>();
    entry.duration_ms = in.fixed<uint32_t>();
    entry.samples = in.fixed<uint32_t>();
    if (in.fixed<uint32_t>() != static_cast<uint32_t>(checksum(bytes.substr(0, kIndexEntry - 4)))) {
      return std::nullopt;
    }
    entries.push_back(entry);
  }
  return entries;
}

bool whole_chunk(std::string_view bytes, const ChunkInfo& info) {
  size_t directory = size_t{info.groups} * kGroupEntry;
  if (bytes.size() - kChunkHeader < info.body || info.body < directory) return false;
  uint64_t sum = ByteReader(bytes.substr(kChunkHeader - 8)).fixed<uint64_t>();
  return sum == checksum(bytes.substr(kChunkHeader, directory),
                         checksum(bytes.substr(0, kChunkHeader - 8)));
}

}  // namespace

Result<std::vector<IndexEntry>> scan_segment(const std::string& path, std::vector<Gap>* gaps) {
  auto bytes = read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  auto file = parse_file(std::move(*bytes), kSegmentMagic, path);
  if (!file) return tl::unexpected(file.error());
  std::string_view all = file->bytes;
  std::string magic;
  ByteWriter(magic).fixed(kChunkMagic);
  std::vector<IndexEntry> entries;
  size_t at = file->body;
  size_t damage = 0;  // where a damaged stretch begins; 0 for none
  auto note = [&](size_t end, int64_t until_ns) {
    if (damage == 0 || gaps == nullptr) return;
    int64_t since = entries.empty() ? until_ns : entries.back().last_realtime_ns();
    gaps->push_back(
        {since, until_ns, fmt::format("{}: bytes {} to {} are damaged", path, damage, end)});
    damage = 0;
  };
  while (at < all.size()) {
    auto info = read_chunk_header(all.substr(at));
    if (info && whole_chunk(all.substr(at), *info)) {
      note(at, info->first_realtime_ns);
      IndexEntry entry;
      entry.first_realtime_ns = info->first_realtime_ns;
      entry.offset = at;
      entry.length = static_cast<uint32_t>(kChunkHeader + info->body);
      entry.set_last(info->last_realtime_ns);
      entry.samples = info->samples;
      entries.push_back(entry);
      at += entry.length;
      continue;
    }
    if (damage == 0) damage = at;
    at = std::min(all.find(magic, at + 1), all.size());
  }
  note(all.size(), entries.empty() ? 0 : entries.back().last_realtime_ns());
  return entries;
}

Result<std::vector<IndexEntry>> load_index(const std::string& folder, const std::string& segment,
                                           std::vector<Gap>* gaps) {
  std::string path = folder + "/" + segment;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return fail_errno(errno, path);
  auto bytes = read_file(folder + "/" + index_name(segment));
  if (bytes) {
    auto entries = parse_index(*bytes);
    // It must reach the end of the segment: an index that lost its last entries is wrong too.
    uint64_t end =
        entries && !entries->empty() ? entries->back().offset + entries->back().length : 0;
    if (entries && end == static_cast<uint64_t>(status.st_size)) return *entries;
  }
  return scan_segment(path, gaps);
}

Result<std::string> read_at(const std::string& path, uint64_t offset, size_t length) {
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return tl::unexpected(fd.error());
  struct stat status {};
  if (fstat(fd->get(), &status) != 0) return fail_errno(errno, path);
  auto size = static_cast<uint64_t>(status.st_size);
  std::string bytes(offset < size ? std::min<uint64_t>(length, size - offset) : 0, '\0');
  size_t got = 0;
  while (got < bytes.size()) {
    ssize_t n =
        pread(fd->get(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, path);
    if (n == 0) break;
    got += static_cast<size_t>(n);
  }
  bytes.resize(got);
  return bytes;
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
