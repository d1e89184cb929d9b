#include "recording/index.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/bytes.h"
#include "base/file.h"
#include "recording/chunk.h"
#include "recording/folder.h"
#include "recording/format.h"

namespace tacho {

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

/// Those that match their checksums.
std::vector<IndexEntry> parse_index(std::string_view bytes) {
  std::vector<IndexEntry> entries;
  for (; bytes.size() >= kIndexEntry; bytes.remove_prefix(kIndexEntry)) {
    ByteReader in(bytes.substr(0, kIndexEntry));
    IndexEntry entry;
    entry.first_realtime_ns = in.fixed<int64_t>();
    entry.offset = in.fixed<uint64_t>();
    entry.length = in.fixed<uint32_t>();
    entry.duration_ms = in.fixed<uint32_t>();
    entry.samples = in.fixed<uint32_t>();
    auto sum = static_cast<uint32_t>(checksum(bytes.substr(0, kIndexEntry - 4)));
    if (in.fixed<uint32_t>() == sum && is_time(entry.first_realtime_ns)) entries.push_back(entry);
  }
  return entries;
}

/// Walks a segment from entry to entry, and from chunk to chunk where there is none.
class SegmentWalk {
 public:
  SegmentWalk(const Fd& fd, std::string path, uint64_t size)
      : fd_(fd), path_(std::move(path)), size_(size) {}

  Result<void> go(const std::vector<IndexEntry>& index) {
    auto head = at(0, kFileHeader);
    if (!head) return tl::unexpected(head.error());
    ByteReader in{*head};
    in.fixed<uint64_t>();
    uint64_t position = kFileHeader + in.fixed<uint32_t>();
    if (!in.ok() || position > size_) {
      unfinished_ = true;
      return {};
    }
    for (const IndexEntry& entry : index) {
      if (entry.offset < position || entry.offset > size_ || entry.length > size_ - entry.offset) {
        continue;  // of another state of the segment
      }
      auto searched = search(position, entry.offset);
      if (!searched) return searched;
      entries_.push_back(entry);
      position = entry.offset + entry.length;
    }
    return search(position, size_);
  }

  std::vector<IndexEntry> take_entries() { return std::move(entries_); }
  [[nodiscard]] const std::vector<Gap>& damage() const { return damage_; }
  /// Whether the segment ends with the beginning of a chunk (or, before its first, of its header).
  [[nodiscard]] bool unfinished() const { return unfinished_; }
  /// The number of that chunk's first sample, where so much of it is there.
  [[nodiscard]] std::optional<uint64_t> unfinished_number() const { return unfinished_number_; }

 private:
  static constexpr uint64_t kSearchAtOnce = 1 << 20;

  [[nodiscard]] Result<std::string> at(uint64_t offset, uint64_t length) const {
    return read_at(fd_, path_, offset, length);
  }

  /// The chunk at `position` if it ends by `end` and its header and directory match.
  Result<std::optional<IndexEntry>> chunk_at(uint64_t position, uint64_t end) const {
    auto head = at(position, std::min<uint64_t>(kChunkHeader, end - position));
    if (!head) return tl::unexpected(head.error());
    auto info = read_chunk_header(*head);
    if (!info) return std::nullopt;
    uint64_t directory = uint64_t{info->groups} * kGroupEntry;
    if (info->body > end - position - kChunkHeader || info->body < directory) return std::nullopt;
    auto entries = at(position + kChunkHeader, directory);
    if (!entries) return tl::unexpected(entries.error());
    std::string_view header = *head;
    uint64_t sum = ByteReader(header.substr(kChunkHeader - 8)).fixed<uint64_t>();
    if (sum != checksum(*entries, checksum(header.substr(0, kChunkHeader - 8)))) {
      return std::nullopt;
    }
    IndexEntry entry;
    entry.first_realtime_ns = info->first_realtime_ns;
    entry.offset = position;
    entry.length = static_cast<uint32_t>(kChunkHeader + info->body);
    entry.set_last(info->last_realtime_ns);
    entry.samples = info->samples;
    return entry;
  }

  /// Where the next chunk may begin, from `position` on; `end` where none does.
  [[nodiscard]] Result<uint64_t> next_magic(uint64_t position, uint64_t end) const {
    std::string magic;
    ByteWriter(magic).fixed(kChunkMagic);
    while (position < end) {
      auto bytes = at(position, std::min(kSearchAtOnce, end - position));
      if (!bytes) return tl::unexpected(bytes.error());
      size_t found = bytes->find(magic);
      if (found != std::string::npos) return position + found;
      if (bytes->size() < magic.size() || position + bytes->size() >= end) break;
      position += bytes->size() - (magic.size() - 1);  // it may lie across the border
    }
    return end;
  }

  Result<void> search(uint64_t position, uint64_t end) {
    uint64_t bad = end;  // where a damaged stretch begins; `end` for none
    while (position < end) {
      auto chunk = chunk_at(position, end);
      if (!chunk) return tl::unexpected(chunk.error());
      if (*chunk) {
        note(bad, position, (*chunk)->first_realtime_ns);
        bad = end;
        position += (*chunk)->length;
        entries_.push_back(**chunk);
        continue;
      }
      bad = std::min(bad, position);
      auto next = next_magic(position + 1, end);
      if (!next) return tl::unexpected(next.error());
      position = *next;
    }
    if (bad == end) return {};
    if (end == size_ && begins_chunk(bad)) {
      unfinished_ = true;
    } else {
      note(bad, end, last_ns());
    }
    return {};
  }

  /// Whether the bytes from `position` to the end of the file are the beginning of a chunk.
  bool begins_chunk(uint64_t position) {
    auto head = at(position, std::min<uint64_t>(kChunkHeader, size_ - position));
    if (!head) return false;
    std::string magic;
    ByteWriter(magic).fixed(kChunkMagic);
    if (!std::string_view(*head).starts_with(magic.substr(0, head->size()))) return false;
    auto info = read_chunk_header(*head);
    if (!info) return head->size() < kChunkHeader;
    unfinished_number_ = info->first_number;
    return info->body > size_ - position - kChunkHeader;
  }

  [[nodiscard]] int64_t last_ns() const {
    return entries_.empty() ? 0 : entries_.back().last_realtime_ns();
  }
  void note(uint64_t from, uint64_t to, int64_t until_ns) {
    if (from >= to) return;
    int64_t since = entries_.empty() ? until_ns : last_ns();
    damage_.push_back(
        {since, until_ns, fmt::format("{}: bytes {} to {} are damaged", path_, from, to)});
  }

  const Fd& fd_;
  std::string path_;
  uint64_t size_;
  std::vector<IndexEntry> entries_;
  std::vector<Gap> damage_;
  bool unfinished_ = false;
  std::optional<uint64_t> unfinished_number_;
};

/// Whether the samples of an unfinished chunk stand elsewhere: in a tail still, or, where writing
/// it was cut off, in the segment into which the next recorder took them. Of a beginning too short
/// to tell its number there is no saying; it is believed where there could be one.
bool stands_elsewhere(const std::string& folder, const std::string& segment,
                      std::optional<uint64_t> number) {
  auto list = list_folder(folder);
  if (!list) return false;
  uint64_t least = first_number_of(segment).value_or(0);
  auto holds = [&](const std::string& name) {
    auto first = first_number_of(name);
    return name != segment && first && (number ? *first == *number : *first >= least);
  };
  return std::ranges::any_of(list->tails, holds) || std::ranges::any_of(list->segments, holds);
}

}  // namespace

Result<std::vector<IndexEntry>> load_index(const std::string& folder, const std::string& segment,
                                           std::vector<Gap>* gaps) {
  std::string path = folder + "/" + segment;
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return tl::unexpected(fd.error());
  for (bool again = false;; again = true) {
    // Read before the segment's size is: what the index tells of is there then.
    auto bytes = read_file(folder + "/" + index_name(segment));
    struct stat status {};
    if (fstat(fd->get(), &status) != 0) return fail_errno(errno, path);
    SegmentWalk walk(*fd, path, static_cast<uint64_t>(status.st_size));
    auto gone = walk.go(bytes ? parse_index(*bytes) : std::vector<IndexEntry>{});
    if (!gone) return tl::unexpected(gone.error());
    bool cut = walk.unfinished() && !stands_elsewhere(folder, segment, walk.unfinished_number());
    // Its tail is removed when the chunk is whole: that may have come to pass since.
    if (cut && !again) continue;
    std::vector<IndexEntry> entries = walk.take_entries();
    if (gaps != nullptr) {
      gaps->insert(gaps->end(), walk.damage().begin(), walk.damage().end());
      int64_t end = entries.empty() ? 0 : entries.back().last_realtime_ns();
      if (cut) gaps->push_back({end, end, fmt::format("{} is cut short", path)});
    }
    return entries;
  }
}

}  // namespace tacho
