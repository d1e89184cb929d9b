#include "recording/chunk.h"

#include <xxhash.h>
#include <zstd.h>

#include "base/bytes.h"
#include "recording/chunk_group.h"
#include "recording/format.h"

namespace tacho {

struct ChunkBuilder::Group : ChunkGroup {};

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
  changes_ += delta.changes.size() + delta.reasons.size() + delta.birth_cells.size();
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
      out.signed_varint(now - last - step);
      step = now - last;
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
  if (bytes.size() < kChunkHeader || magic != kChunkMagic) {
    return fail(Errc::corrupt, "no chunk stands here");
  }
  return info;
}

namespace {

bool decode_times(std::string_view bytes, std::vector<SampleDelta>& deltas) {
  ByteReader in(bytes);
  auto column = [&](auto set) {
    uint64_t last = 0;
    uint64_t step = 0;
    for (SampleDelta& delta : deltas) {
      step += static_cast<uint64_t>(in.signed_varint());
      last += step;
      set(delta, static_cast<int64_t>(last));
    }
  };
  column([](SampleDelta& d, int64_t v) { d.number = static_cast<uint64_t>(v); });
  column([](SampleDelta& d, int64_t v) { d.clock.monotonic_ns = v; });
  column([](SampleDelta& d, int64_t v) {
    d.clock.realtime_ns = wrapping_add(d.clock.monotonic_ns, v);
  });
  column([](SampleDelta& d, int64_t v) {
    d.clock.boottime_ns = wrapping_add(d.clock.monotonic_ns, v);
  });
  column([](SampleDelta& d, int64_t v) { d.late_ns = v; });
  return in.ok() && in.empty();
}

bool decode_texts(std::string_view bytes, std::vector<SampleDelta>& deltas) {
  ByteReader in(bytes);
  std::vector<uint64_t> counts;
  for (size_t i = 0; i < deltas.size(); ++i)
    counts.push_back(in.varint());
  for (size_t i = 0; i < deltas.size(); ++i) {
    for (uint64_t t = 0; t < counts[i] && in.ok(); ++t)
      deltas[i].texts.emplace_back(in.text());
  }
  return in.ok() && in.empty();
}

}  // namespace

Result<std::vector<SampleDelta>> decode_chunk(std::string_view bytes, const RecordedSchema& schema,
                                              const Selection& selection) {
  auto info = read_chunk_header(bytes);
  if (!info) return tl::unexpected(info.error());
  size_t directory = size_t{info->groups} * kGroupEntry;
  if (bytes.size() - kChunkHeader < info->body || info->body < directory || info->samples == 0) {
    return fail(Errc::corrupt, "the chunk is cut short");
  }
  ByteReader entry(bytes.substr(kChunkHeader, directory));
  uint64_t expected = ByteReader(bytes.substr(kChunkHeader - 8)).fixed<uint64_t>();
  if (checksum(bytes.substr(kChunkHeader, directory),
               checksum(bytes.substr(0, kChunkHeader - 8))) != expected) {
    return fail(Errc::corrupt, "the chunk's header does not match its checksum");
  }
  if (info->samples > 1 << 20) return fail(Errc::corrupt, "the chunk claims too many samples");
  std::vector<SampleDelta> deltas(info->samples);
  std::vector<int64_t> monotonic_ns;
  size_t at = kChunkHeader + directory;
  for (uint32_t i = 0; i < info->groups; ++i) {
    auto id = entry.fixed<uint32_t>();
    auto packed_size = entry.fixed<uint32_t>();
    auto plain_size = entry.fixed<uint32_t>();
    entry.fixed<uint32_t>();
    auto sum = entry.fixed<uint64_t>();
    if (bytes.size() - at < packed_size) return fail(Errc::corrupt, "the chunk is cut short");
    std::string_view packed = bytes.substr(at, packed_size);
    at += packed_size;
    bool table = id < schema.size();
    bool wanted = !table || !schema[id].id || selection.has(*schema[id].id);
    if (!wanted) continue;
    if (checksum(packed) != sum) return fail(Errc::corrupt, "a group does not match its checksum");
    auto plain = decompress(packed, plain_size);
    if (!plain) return tl::unexpected(plain.error());
    bool ok = true;
    if (id == kTimesGroup) {
      ok = decode_times(*plain, deltas);
      for (const SampleDelta& delta : deltas)
        monotonic_ns.push_back(delta.clock.monotonic_ns);
    } else if (id == kTextsGroup) {
      ok = decode_texts(*plain, deltas);
    } else if (table) {
      auto group = ChunkGroup::decode(*plain, schema[id].columns.size(), monotonic_ns);
      if (!group) return tl::unexpected(group.error());
      group->give(static_cast<uint16_t>(id), deltas);
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

Result<std::string> decompress(std::string_view bytes, size_t plain_size) {
  if (plain_size > kMaxPlain) return fail(Errc::corrupt, "a group claims to be too large");
  std::string plain(plain_size, '\0');
  size_t size = ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0U || size != plain_size) {
    return fail(Errc::corrupt, "a group cannot be decompressed");
  }
  return plain;
}

}  // namespace tacho
