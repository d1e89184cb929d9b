#include "recording/block.h"

#include <algorithm>

#include "recording/chunk.h"
#include "recording/folder.h"
#include "recording/index.h"

namespace tacho {

namespace {

/// Tails that hold a sample at least.
std::vector<BlockRef> list_tails(const std::string& folder, const std::vector<std::string>& names) {
  std::vector<BlockRef> tails;
  for (const std::string& name : names) {
    auto reader = TailReader::open(folder + "/" + name);
    auto first = reader ? reader->next() : fail(Errc::not_found, "no tail");
    if (!first || !*first) continue;
    BlockRef ref;
    ref.file = name;
    ref.tail = true;
    ref.first_realtime_ns = (*first)->clock.realtime_ns;
    ref.last_realtime_ns = INT64_MAX;  // grows
    tails.push_back(ref);
  }
  return tails;
}

}  // namespace

Result<std::vector<BlockRef>> list_blocks(const std::string& folder, std::vector<Gap>* gaps) {
  // Tails first: a chunk is safe before its tail is removed, so what leaves a tail meanwhile is
  // found in a segment afterwards.
  auto before = list_folder(folder);
  if (!before) return tl::unexpected(before.error());
  std::vector<BlockRef> tails = list_tails(folder, before->tails);
  auto list = list_folder(folder);
  if (!list) return tl::unexpected(list.error());
  std::vector<BlockRef> blocks;
  for (const std::string& segment : list->segments) {
    auto entries = load_index(folder, segment, gaps);
    if (!entries) {
      // Dropped by retention since it was listed, or not to be read at all.
      if (entries.error().code != Errc::not_found && gaps != nullptr) {
        gaps->push_back({0, 0, entries.error().what});
      }
      continue;
    }
    for (const IndexEntry& entry : *entries) {
      blocks.push_back({segment, false, entry.offset, entry.length, entry.first_realtime_ns,
                        entry.last_realtime_ns(), entry.samples});
    }
  }
  blocks.insert(blocks.end(), tails.begin(), tails.end());
  // A tail that could not be turned into a chunk (the disk was full) is older than later segments.
  std::ranges::stable_sort(blocks, {},
                           [](const BlockRef& ref) { return first_number_of(ref.file); });
  return blocks;
}

Block::Block(std::shared_ptr<const RecordedSchema> schema, const Selection& selection)
    : schema_(std::move(schema)), selection_(selection), applier_(schema_, selection) {}

Result<std::unique_ptr<Block>> Block::open(const std::string& folder, const BlockRef& ref,
                                           const std::shared_ptr<const RecordedSchema>& schema,
                                           const Selection& selection) {
  std::string path = folder + "/" + ref.file;
  if (ref.tail) {
    auto tail = TailReader::open(path);
    if (!tail) return tl::unexpected(tail.error());
    std::unique_ptr<Block> block(new Block(tail->schema(), selection));
    block->tail_ = std::move(*tail);
    return block;
  }
  auto bytes = read_at(path, ref.offset, ref.length);
  if (!bytes) return tl::unexpected(bytes.error());
  auto deltas = decode_chunk(*bytes, *schema, selection);
  if (!deltas) {
    return fail(deltas.error().code, "{}, byte {}: {}", path, ref.offset, deltas.error().what);
  }
  std::unique_ptr<Block> block(new Block(schema, selection));
  block->deltas_ = std::move(*deltas);
  return block;
}

Result<SamplePtr> Block::next() {
  if (position_ == deltas_.size()) {
    if (!tail_) return SamplePtr{};
    auto delta = tail_->next();
    if (!delta) return tl::unexpected(delta.error());
    if (!*delta) return SamplePtr{};
    deltas_.push_back(std::move(**delta));
  }
  auto sample = applier_.apply(deltas_[position_]);
  if (sample) ++position_;
  return sample;
}

void Block::rewind() {
  applier_ = Applier(schema_, selection_);
  position_ = 0;
}

}  // namespace tacho
