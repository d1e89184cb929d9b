#include "recording/reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "recording/block.h"
#include "recording/chunk.h"
#include "recording/folder.h"
#include "recording/format.h"

namespace tacho {
namespace {

class RecordingCursor : public Cursor {
 public:
  RecordingCursor(std::string folder, const Selection& selection)
      : folder_(std::move(folder)), selection_(selection) {}

  /// Lists the folder anew; what was listed before may have been turned into chunks or dropped.
  Result<void> refresh() {
    gaps_.erase(gaps_.begin(), gaps_.begin() + static_cast<ptrdiff_t>(listed_gaps_));
    std::vector<Gap> found;
    auto blocks = list_blocks(folder_, &found);
    if (!blocks) return tl::unexpected(blocks.error());
    listed_gaps_ = found.size();
    gaps_.insert(gaps_.begin(), found.begin(), found.end());
    blocks_ = std::move(*blocks);
    block_.reset();
    return {};
  }

  Result<SamplePtr> first() override {
    auto refreshed = refresh();
    if (!refreshed) return tl::unexpected(refreshed.error());
    last_number_ = 0;
    return forward_from(0);
  }

  Result<SamplePtr> last() override {
    auto refreshed = refresh();
    if (!refreshed) return tl::unexpected(refreshed.error());
    return last_before(blocks_.size(), [](const Sample&) { return true; });
  }

  Result<SamplePtr> at(int64_t realtime_ns) override {
    auto refreshed = refresh();
    if (!refreshed) return tl::unexpected(refreshed.error());
    // Blocks are ordered by number; where the clock was set back their times are not, so the last
    // block that began by then is sought from the end.
    size_t end = blocks_.size();
    while (end > 0 && blocks_[end - 1].first_realtime_ns > realtime_ns)
      --end;
    if (end == 0) return first();
    return last_before(end, [&](const Sample& s) { return s.clock.realtime_ns <= realtime_ns; });
  }

  Result<SamplePtr> next() override {
    if (block_) {
      auto sample = advance();
      if (!sample || *sample) return sample;
      if (!block_->is_tail()) return forward_from(current_ + 1);
    }
    // The end of a tail: it may have become a chunk, and a new one begun.
    auto refreshed = refresh();
    if (!refreshed) return tl::unexpected(refreshed.error());
    return forward_from(last_block_with(last_number_ + 1));
  }

  Result<SamplePtr> previous() override {
    if (!block_) return last();
    size_t position = block_->position();
    if (position >= 2) return replay(position - 1);
    if (current_ == 0) return SamplePtr{};
    uint64_t number = last_number_;
    return last_before(current_, [&](const Sample& s) { return s.number < number; });
  }

  std::vector<Gap> gaps() const override { return gaps_; }

 private:
  /// Opens block `index`; a damaged one is noted and false.
  bool open(size_t index) {
    const BlockRef& ref = blocks_[index];
    block_.reset();
    std::shared_ptr<const RecordedSchema> schema;
    if (!ref.tail) {
      auto& known = schemas_[ref.file];
      if (!known) {
        auto file = open_header(folder_ + "/" + ref.file, kSegmentMagic);
        if (file) known = file->schema;
      }
      schema = known;
      if (!schema) {
        note(ref, fmt::format("{}: its header is damaged", ref.file));
        return false;
      }
    }
    auto block = Block::open(folder_, ref, schema, selection_);
    if (!block) {
      // Gone since it was listed (a tail that has become a chunk): nothing is lost.
      if (block.error().code != Errc::not_found) note(ref, block.error().what);
      return false;
    }
    block_ = std::move(*block);
    current_ = index;
    return true;
  }

  void note(const BlockRef& ref, std::string why) {
    bool known = std::ranges::any_of(gaps_, [&](const Gap& gap) { return gap.why == why; });
    int64_t to = ref.last_realtime_ns == INT64_MAX ? ref.first_realtime_ns : ref.last_realtime_ns;
    if (!known) gaps_.push_back({ref.first_realtime_ns, to, std::move(why)});
  }

  /// The next sample of the open block that has not been given yet.
  Result<SamplePtr> advance() {
    while (true) {
      auto sample = block_->next();
      if (!sample) {
        note(blocks_[current_], sample.error().what);
        return SamplePtr{};
      }
      if (!*sample) return SamplePtr{};
      if ((*sample)->number <= last_number_) continue;  // stands in tail and chunk both
      last_number_ = (*sample)->number;
      return sample;
    }
  }

  Result<SamplePtr> forward_from(size_t index) {
    for (; index < blocks_.size(); ++index) {
      if (!open(index)) continue;
      auto sample = advance();
      if (!sample || *sample) return sample;
    }
    return SamplePtr{};
  }

  /// The first block from which samples of `number` and later can still come.
  size_t last_block_with(uint64_t number) {
    size_t index = blocks_.size();
    while (index > 0) {
      --index;
      auto first = first_number(blocks_[index]);
      if (first && *first <= number) return index;
    }
    return 0;
  }

  std::optional<uint64_t> first_number(const BlockRef& ref) const {
    if (ref.tail) return first_number_of(ref.file);
    auto head = read_at(folder_ + "/" + ref.file, ref.offset, kChunkHeader);
    auto info = head ? read_chunk_header(*head) : fail(Errc::corrupt, "no chunk");
    if (!info) return std::nullopt;
    return info->first_number;
  }

  /// The last sample before block `end` of which `wanted` holds, and leaves the cursor on it.
  template <typename Wanted>
  Result<SamplePtr> last_before(size_t end, Wanted wanted) {
    while (end > 0) {
      --end;
      if (!open(end)) continue;
      size_t found = 0;
      for (auto sample = block_->next(); sample && *sample; sample = block_->next()) {
        if (wanted(**sample)) found = block_->position();
      }
      if (found > 0) return replay(found);
    }
    return SamplePtr{};
  }

  /// The sample of the open block after which its position is `position`.
  Result<SamplePtr> replay(size_t position) {
    block_->rewind();
    SamplePtr sample;
    while (block_->position() < position) {
      auto next = block_->next();
      if (!next || !*next) return next;
      sample = *next;
    }
    last_number_ = sample->number;
    return sample;
  }

  std::string folder_;
  Selection selection_;
  std::vector<BlockRef> blocks_;
  std::map<std::string, std::shared_ptr<const RecordedSchema>> schemas_;
  std::unique_ptr<Block> block_;
  size_t current_ = 0;
  uint64_t last_number_ = 0;
  std::vector<Gap> gaps_;
  size_t listed_gaps_ = 0;
};

}  // namespace

Result<std::unique_ptr<Cursor>> open_recording(const std::string& folder,
                                               const Selection& selection) {
  auto format = check_format(folder);
  if (!format) return tl::unexpected(format.error());
  auto cursor = std::make_unique<RecordingCursor>(folder, selection);
  auto listed = cursor->refresh();
  if (!listed) return tl::unexpected(listed.error());
  return cursor;
}

Result<Contents> describe_recording(const std::string& folder) {
  auto format = check_format(folder);
  if (!format) return tl::unexpected(format.error());
  Contents contents;
  auto blocks = list_blocks(folder, &contents.gaps);
  if (!blocks) return tl::unexpected(blocks.error());
  for (BlockRef& block : *blocks) {
    if (block.tail) {
      auto tail = TailReader::open(folder + "/" + block.file);
      block.last_realtime_ns = block.first_realtime_ns;
      while (tail) {
        auto delta = tail->next();
        if (!delta || !*delta) break;
        block.last_realtime_ns = (*delta)->clock.realtime_ns;
        ++block.samples;
      }
    }
    if (contents.from_ns == 0) contents.from_ns = block.first_realtime_ns;
    contents.from_ns = std::min(contents.from_ns, block.first_realtime_ns);
    contents.to_ns = std::max(contents.to_ns, block.last_realtime_ns);
    contents.samples += block.samples;
  }
  auto list = list_folder(folder);
  if (!list) return tl::unexpected(list.error());
  auto add = [&](const std::string& name) {
    struct stat status {};
    if (stat((folder + "/" + name).c_str(), &status) == 0) {
      contents.bytes += static_cast<uint64_t>(status.st_size);
    }
  };
  for (const auto& name : list->segments) {
    add(name);
    add(index_name(name));
  }
  for (const auto& name : list->tails)
    add(name);
  return contents;
}

}  // namespace tacho
