#include "recording/chunk.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>

#include "base/bytes.h"
#include "recording/chunk_group.h"
#include "recording/format.h"

namespace tacho {

struct ChunkBuilder::Group : ChunkGroup {
  size_t alive = 0;  ///< instances that live after the last moment
};

ChunkBuilder::ChunkBuilder(std::shared_ptr<const RecordedSchema> schema)
    : schema_(std::move(schema)), groups_(schema_->size()) {}
ChunkBuilder::~ChunkBuilder() = default;
ChunkBuilder::ChunkBuilder(ChunkBuilder&&) noexcept = default;
ChunkBuilder& ChunkBuilder::operator=(ChunkBuilder&&) noexcept = default;

void ChunkBuilder::add(const SampleDelta& delta) {
  auto sample = static_cast<uint32_t>(times_.size());
  times_.push_back({delta.number, delta.clock, delta.late_ns});
  texts_.insert(texts_.end(), delta.texts.begin(), delta.texts.end());
  texts_per_sample_.push_back(static_cast<uint32_t>(delta.texts.size()));
  for (const TableDelta& table : delta.tables)
    add_table(table, sample);
}

void ChunkBuilder::add_table(const TableDelta& delta, uint32_t sample) {
  auto& group = groups_[delta.table];
  size_t width = (*schema_)[delta.table].columns.size();
  if (!group) {
    group = std::make_unique<Group>();
    group->columns.resize(width);
    group->reasons.resize(width);
  }
  auto at = static_cast<uint32_t>(group->moments.size());
  group->moments.push_back({sample, delta.fresh, delta.read_ns, delta.cost_ns, delta.absent});
  for (uint32_t slot : delta.deaths)
    group->lives[slot].died = at;
  for (const Change& c : delta.changes)
    group->columns[c.column].push_back({c.slot, at, c.delta});
  for (const ReasonChange& c : delta.reasons) {
    group->reasons[c.column].push_back({c.slot, at, static_cast<int64_t>(c.reason)});
  }
  size_t births = delta.birth_cells.size() / width;
  group->lives.insert(group->lives.end(), births, Life{at, UINT32_MAX});
  group->birth_cells.insert(group->birth_cells.end(), delta.birth_cells.begin(),
                            delta.birth_cells.end());
  group->birth_reasons.insert(group->birth_reasons.end(), delta.birth_reasons.begin(),
                              delta.birth_reasons.end());
  group->alive += births - delta.deaths.size();
  cells_ += group->alive * width;
  if (sample > 0) {
    changes_ += delta.changes.size() + delta.reasons.size() + delta.birth_cells.size();
  }
}

bool ChunkBuilder::full() const {
  return times_.size() >= kChunkSamples || changes_ >= kChunkChanges || cells_ >= kChunkCells;
}

std::string ChunkBuilder::times_group() const {
  std::string bytes;
  ByteWriter out(bytes);
  // Each clock as the change of its step: an even pace is all zeros but for the jitter.
  auto column = [&](auto value) {
    int64_t last = 0;
    int64_t step = 0;
    for (const Time& time : times_) {
      int64_t now = value(time);
      int64_t stepped = wrapping_subtract(now, last);
      out.signed_varint(wrapping_subtract(stepped, step));
      step = stepped;
      last = now;
    }
  };
  column([](const Time& t) { return static_cast<int64_t>(t.number); });
  column([](const Time& t) { return t.clock.monotonic_ns; });
  column([](const Time& t) { return t.clock.realtime_ns - t.clock.monotonic_ns; });
  column([](const Time& t) { return t.clock.boottime_ns - t.clock.monotonic_ns; });
  column([](const Time& t) { return t.late_ns; });
  return bytes;
}

std::string ChunkBuilder::texts_group() const {
  std::string bytes;
  ByteWriter out(bytes);
  for (uint32_t count : texts_per_sample_)
    out.varint(count);
  for (const std::string& text : texts_)
    out.text(text);
  return bytes;
}

std::string ChunkBuilder::finish() {
  std::vector<std::pair<uint32_t, std::string>> plain;
  plain.emplace_back(kTimesGroup, times_group());
  plain.emplace_back(kTextsGroup, texts_group());
  std::vector<int64_t> monotonic_ns;
  for (const Time& time : times_)
    monotonic_ns.push_back(time.clock.monotonic_ns);
  for (size_t table = 0; table < groups_.size(); ++table) {
    if (!groups_[table]) continue;
    for (Life& life : groups_[table]->lives) {
      life.died = std::min(life.died, static_cast<uint32_t>(groups_[table]->moments.size()));
    }
    plain.emplace_back(static_cast<uint32_t>(table), groups_[table]->encode(monotonic_ns));
    groups_[table].reset();
  }
  std::string directory;
  std::string body;
  ByteWriter entry(directory);
  for (const auto& [id, bytes] : plain) {
    std::string packed = compress(bytes);
    entry.fixed(id);
    entry.fixed(static_cast<uint32_t>(packed.size()));
    entry.fixed(static_cast<uint32_t>(bytes.size()));
    entry.fixed(uint32_t{0});
    entry.fixed(checksum(packed));
    body += packed;
  }
  std::string chunk;
  ByteWriter header(chunk);
  header.fixed(kChunkMagic);
  header.fixed(static_cast<uint32_t>(directory.size() + body.size()));
  header.fixed(times_.front().number);
  header.fixed(static_cast<uint32_t>(times_.size()));
  header.fixed(static_cast<uint32_t>(plain.size()));
  header.fixed(first_realtime_ns());
  header.fixed(last_realtime_ns());
  header.fixed(checksum(directory, checksum(chunk)));
  *this = ChunkBuilder(schema_);
  return chunk + directory + body;
}

Result<ChunkInfo> read_chunk_header(std::string_view bytes) {
  ByteReader in(bytes);
  uint32_t magic = in.fixed<uint32_t>();
  ChunkInfo info;
  info.body = in.fixed<uint32_t>();
  info.first_number = in.fixed<uint64_t>();
  info.samples = in.fixed<uint32_t>();
  info.groups = in.fixed<uint32_t>();
  info.first_realtime_ns = in.fixed<int64_t>();
  info.last_realtime_ns = in.fixed<int64_t>();
  bool times = is_time(info.first_realtime_ns) && is_time(info.last_realtime_ns);
  if (bytes.size() < kChunkHeader || magic != kChunkMagic || !times) {
    return fail(Errc::corrupt, "no chunk stands here");
  }
  return info;
}

namespace {

bool decode_times(std::string_view bytes, std::vector<SampleDelta>& deltas) {
  ByteReader in(bytes);
  bool believable = true;
  // `beside`: what is written is the difference to MONOTONIC.
  auto column = [&](bool beside, auto of) {
    uint64_t last = 0;
    uint64_t step = 0;
    for (SampleDelta& delta : deltas) {
      step += static_cast<uint64_t>(in.signed_varint());
      last += step;
      int64_t& ns = of(delta);
      ns = wrapping_add(beside ? delta.clock.monotonic_ns : 0, static_cast<int64_t>(last));
      believable = believable && is_time(ns);
    }
  };
  std::vector<int64_t> numbers;
  column(false, [&](SampleDelta&) -> int64_t& { return numbers.emplace_back(); });
  column(false, [](SampleDelta& d) -> int64_t& { return d.clock.monotonic_ns; });
  column(true, [](SampleDelta& d) -> int64_t& { return d.clock.realtime_ns; });
  column(true, [](SampleDelta& d) -> int64_t& { return d.clock.boottime_ns; });
  column(false, [](SampleDelta& d) -> int64_t& { return d.late_ns; });
  for (size_t i = 0; i < deltas.size(); ++i) {
    deltas[i].number = static_cast<uint64_t>(numbers[i]);
    believable = believable && numbers[i] >= 0 && (i == 0 || numbers[i - 1] < numbers[i]);
  }
  return in.ok() && in.empty() && believable;
}

bool decode_texts(std::string_view bytes, std::vector<SampleDelta>& deltas) {
  ByteReader in(bytes);
  std::vector<uint64_t> counts;
  uint64_t texts = 0;
  for (size_t i = 0; i < deltas.size() && texts <= in.left(); ++i) {
    counts.push_back(std::min<uint64_t>(in.varint(), kMaxChanges));
    texts += counts.back();
  }
  if (texts > in.left()) return false;  // each takes at least a byte
  for (size_t i = 0; i < deltas.size(); ++i) {
    for (uint64_t t = 0; t < counts[i] && in.ok(); ++t)
      deltas[i].texts.emplace_back(in.text());
  }
  return in.ok() && in.empty();
}

struct DirectoryEntry {
  uint32_t id = 0;
  uint32_t plain_size = 0;
  uint64_t sum = 0;
  std::string_view packed;
};

/// The directory of a chunk whose header matches it.
Result<std::vector<DirectoryEntry>> read_directory(std::string_view bytes, const ChunkInfo& info) {
  size_t size = size_t{info.groups} * kGroupEntry;
  if (bytes.size() - kChunkHeader < info.body || info.body < size || info.samples == 0) {
    return fail(Errc::corrupt, "the chunk is cut short");
  }
  std::string_view directory = bytes.substr(kChunkHeader, size);
  uint64_t expected = ByteReader(bytes.substr(kChunkHeader - 8)).fixed<uint64_t>();
  if (checksum(directory, checksum(bytes.substr(0, kChunkHeader - 8))) != expected) {
    return fail(Errc::corrupt, "the chunk's header does not match its checksum");
  }
  std::vector<DirectoryEntry> entries;
  ByteReader in(directory);
  std::string_view rest = bytes.substr(kChunkHeader + size);
  for (uint32_t i = 0; i < info.groups; ++i) {
    DirectoryEntry entry;
    entry.id = in.fixed<uint32_t>();
    auto packed_size = in.fixed<uint32_t>();
    entry.plain_size = in.fixed<uint32_t>();
    in.fixed<uint32_t>();
    entry.sum = in.fixed<uint64_t>();
    if (packed_size > rest.size()) return fail(Errc::corrupt, "the chunk is cut short");
    entry.packed = rest.substr(0, packed_size);
    rest.remove_prefix(packed_size);
    entries.push_back(entry);
  }
  return entries;
}

Result<std::string> unpack(const DirectoryEntry& entry) {
  if (checksum(entry.packed) != entry.sum) {
    return fail(Errc::corrupt, "a group does not match its checksum");
  }
  return decompress(entry.packed, entry.plain_size, kMaxPlain);
}

}  // namespace

Result<std::vector<SampleDelta>> decode_chunk(std::string_view bytes, const RecordedSchema& schema,
                                              const Selection& selection) {
  auto info = read_chunk_header(bytes);
  if (!info) return tl::unexpected(info.error());
  auto directory = read_directory(bytes, *info);
  if (!directory) return tl::unexpected(directory.error());
  if (info->samples > kMaxSamples) {
    return fail(Errc::corrupt, "the chunk claims too many samples");
  }
  std::vector<SampleDelta> deltas(info->samples);
  std::vector<int64_t> monotonic_ns;
  std::vector<bool> had(schema.size(), false);
  uint64_t budget = kMaxChanges;
  for (const DirectoryEntry& entry : *directory) {
    bool table = entry.id < schema.size();
    bool wanted = !table || !schema[entry.id].id || selection.has(*schema[entry.id].id);
    if (!wanted) continue;
    auto plain = unpack(entry);
    if (!plain) return tl::unexpected(plain.error());
    bool ok = true;
    if (entry.id == kTimesGroup) {
      ok = monotonic_ns.empty() && decode_times(*plain, deltas);
      for (const SampleDelta& delta : deltas)
        monotonic_ns.push_back(delta.clock.monotonic_ns);
    } else if (entry.id == kTextsGroup) {
      ok = decode_texts(*plain, deltas);
    } else if (table) {
      if (had[entry.id]) return fail(Errc::corrupt, "the chunk has a table twice");
      had[entry.id] = true;
      auto group =
          ChunkGroup::decode(*plain, schema[entry.id].columns.size(), monotonic_ns, budget);
      if (!group) return tl::unexpected(group.error());
      group->give(static_cast<uint16_t>(entry.id), deltas);
    }
    if (!ok) return fail(Errc::corrupt, "a group cannot be understood");
  }
  if (monotonic_ns.empty()) return fail(Errc::corrupt, "the chunk has no times");
  return deltas;
}

uint64_t checksum(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string compress(std::string_view plain, int level) {
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  size_t size = ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), level);
  packed.resize(ZSTD_isError(size) != 0U ? 0 : size);
  return packed;
}

Result<std::string> decompress(std::string_view bytes, size_t plain_size, size_t most) {
  // Asked of zstd first: nothing is made room for that its own header does not promise.
  bool promised = ZSTD_getFrameContentSize(bytes.data(), bytes.size()) == plain_size;
  if (plain_size > most || !promised) return fail(Errc::corrupt, "a group has a wrong size");
  std::string plain(plain_size, '\0');
  size_t size = ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0U || size != plain_size) {
    return fail(Errc::corrupt, "a group cannot be decompressed");
  }
  return plain;
}

}  // namespace tacho
