#include "recording/reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "recording/block.h"
#include "recording/chunk.h"
#include "recording/folder.h"
#include "recording/format.h"
#include "recording/tail.h"

namespace tacho {
namespace {

/// How often a walk is begun anew because what it was about to read is gone: a recorder that turns
/// tails into chunks and drops segments does so far more slowly.
constexpr int kAttempts = 16;

/// What tells of gaps is decoded whatever else is wanted: a row each, and few columns.
Selection with_gaps(Selection selection) {
  selection.add(TableId::host);
  selection.add(TableId::recorder);
  return selection;
}

class RecordingCursor : public Cursor {
 public:
  RecordingCursor(std::string folder, const Selection& selection)
      : folder_(std::move(folder)), selection_(with_gaps(selection)) {}

  /// Lists the folder anew; what was listed before may have been turned into chunks or dropped.
  Result<void> refresh() {
    gaps_.erase(gaps_.begin(), gaps_.begin() + static_cast<ptrdiff_t>(listed_gaps_));
    std::vector<Gap> found;
    auto blocks = list_blocks(folder_, &found);
    listed_gaps_ = blocks ? found.size() : 0;
    if (!blocks) return tl::unexpected(blocks.error());
    gaps_.insert(gaps_.begin(), found.begin(), found.end());
    blocks_ = std::move(*blocks);
    block_.reset();
    return {};
  }

  Result<SamplePtr> first() override {
    last_.reset();
    return anew([&] { return forward_from(0); });
  }

  Result<SamplePtr> last() override {
    return anew([&] { return last_before(blocks_.size(), [](const Sample&) { return true; }); });
  }

  Result<SamplePtr> at(int64_t realtime_ns) override {
    // Blocks are ordered by number; where the clock was set back their times are not, so the last
    // block that began by then is sought from the end.
    auto sought = anew([&] {
      size_t end = blocks_.size();
      while (end > 0 && blocks_[end - 1].first_realtime_ns > realtime_ns)
        --end;
      return last_before(end, [&](const Sample& s) { return s.clock.realtime_ns <= realtime_ns; });
    });
    return sought && !*sought ? first() : sought;
  }

  Result<SamplePtr> next() override {
    if (block_) {
      auto sample = advance();
      if (!sample || *sample) return sample;
      if (!block_->is_tail()) {
        sample = forward_from(current_ + 1);
        if (!gone_) return sample;
      }
    }
    // The end of a tail: it may have become a chunk, and a new one begun.
    return anew([&] { return forward_from(last_block_with(last_number() + 1)); });
  }

  Result<SamplePtr> previous() override {
    if (!block_) return last();
    size_t position = block_->position();
    if (position >= 2) return replay(position - 1);
    uint64_t number = last_number();
    auto is_before = [&](const Sample& s) { return s.number < number; };
    auto sample = last_before(current_, is_before);
    if (!gone_) return sample;
    return anew([&] { return last_before(last_block_with(number) + 1, is_before); });
  }

  std::vector<Gap> gaps() const override { return gaps_; }

 private:
  /// Lists the blocks and walks over them; again where one of them is gone by then.
  template <typename Walk>
  Result<SamplePtr> anew(Walk walk) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      auto refreshed = refresh();
      if (!refreshed) return tl::unexpected(refreshed.error());
      auto sample = walk();
      if (!gone_) return sample;
    }
    return fail(Errc::io, "{}: what it holds vanishes while it is read", folder_);
  }

  [[nodiscard]] uint64_t last_number() const { return last_ ? last_->number : 0; }

  std::shared_ptr<const RecordedSchema> schema_of(const BlockRef& ref) {
    auto& known = schemas_[ref.file];
    if (!known) {
      auto file = open_header(folder_ + "/" + ref.file, kSegmentMagic);
      if (file) {
        known = file->schema;
      } else if (file.error().code == Errc::not_found) {
        gone_ = true;
      } else {
        note(ref, file.error().what);
      }
    }
    return known;
  }

  /// Opens block `index`; false where it is damaged, which is noted, or gone, which sets gone_.
  bool open(size_t index) {
    const BlockRef& ref = blocks_[index];
    block_.reset();
    std::shared_ptr<const RecordedSchema> schema;
    if (!ref.tail) {
      schema = schema_of(ref);
      if (!schema) return false;
    }
    auto block = Block::open(folder_, ref, schema, selection_);
    if (!block) {
      // A tail that has become a chunk, or a segment that was dropped.
      gone_ = block.error().code == Errc::not_found;
      if (!gone_) note(ref, block.error().what);
      return false;
    }
    block_ = std::move(*block);
    current_ = index;
    return true;
  }

  /// A fault of a block; one that several blocks have (the header of their segment) is one gap.
  void note(const BlockRef& ref, std::string why) {
    int64_t from = ref.first_realtime_ns;
    int64_t to = ref.last_realtime_ns == INT64_MAX ? from : ref.last_realtime_ns;
    auto known = std::ranges::find(gaps_, why, &Gap::why);
    if (known == gaps_.end()) {
      gaps_.push_back({from, to, std::move(why)});
    } else {
      known->from_ns = std::min(known->from_ns, from);
      known->to_ns = std::max(known->to_ns, to);
    }
  }

  /// Notes what is missing between the sample given last and this one, unless it is known already:
  /// from an earlier walk, or as the damage that is why.
  void compare(const Sample& sample) {
    if (!last_) return;
    int64_t step = sample.clock.boottime_ns - last_->clock.boottime_ns;
    auto told = interval_of(*last_);
    int64_t interval = told ? *told : usual_step_;
    auto gap = gap_between(*last_, sample, interval > 0 ? interval : INT64_MAX / 8);
    if (!gap) {
      usual_step_ = step;
      return;
    }
    bool known = std::ranges::any_of(gaps_, [&](const Gap& other) {
      return other.from_ns >= gap->from_ns && other.to_ns <= gap->to_ns;
    });
    if (!known) gaps_.push_back(*gap);
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
      if ((*sample)->number <= last_number()) continue;  // stands in tail and chunk both
      compare(**sample);
      last_ = *sample;
      return sample;
    }
  }

  Result<SamplePtr> forward_from(size_t index) {
    gone_ = false;
    for (; index < blocks_.size(); ++index) {
      if (!open(index)) {
        if (gone_) break;
        continue;
      }
      auto sample = advance();
      if (!sample || *sample) return sample;
    }
    return SamplePtr{};
  }

  /// The last block that begins with `number` or before: from it on later samples can come.
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
    gone_ = false;
    while (end > 0) {
      --end;
      if (!open(end)) {
        if (gone_) break;
        continue;
      }
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
    last_ = sample;
    return sample;
  }

  std::string folder_;
  Selection selection_;
  std::vector<BlockRef> blocks_;
  std::map<std::string, std::shared_ptr<const RecordedSchema>> schemas_;
  std::unique_ptr<Block> block_;
  size_t current_ = 0;
  bool gone_ = false;  ///< the last walk came upon a block that is no longer there
  SamplePtr last_;     ///< the sample given last
  int64_t usual_step_ = 0;
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

namespace {

/// What a tail holds is not told by its reference: it may be growing.
void measure_tail(const std::string& folder, BlockRef& ref) {
  auto tail = TailReader::open(folder + "/" + ref.file);
  ref.last_realtime_ns = ref.first_realtime_ns;
  while (tail) {
    auto delta = tail->next();
    if (!delta || !*delta) break;
    ref.last_realtime_ns = (*delta)->clock.realtime_ns;
    ++ref.samples;
  }
}

/// Blocks whose extent is known.
Result<std::vector<BlockRef>> measured_blocks(const std::string& folder, std::vector<Gap>* gaps) {
  auto format = check_format(folder);
  if (!format) return tl::unexpected(format.error());
  auto blocks = list_blocks(folder, gaps);
  if (!blocks) return blocks;
  for (BlockRef& block : *blocks) {
    if (block.tail) measure_tail(folder, block);
  }
  return blocks;
}

}  // namespace

Result<Contents> describe_recording(const std::string& folder) {
  Contents contents;
  auto blocks = measured_blocks(folder, &contents.gaps);
  if (!blocks) return tl::unexpected(blocks.error());
  for (const BlockRef& block : *blocks) {
    if (contents.samples == 0) contents.from_ns = block.first_realtime_ns;
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

Result<std::vector<Gap>> recorded_gaps(const std::string& folder, size_t most) {
  auto blocks = measured_blocks(folder, nullptr);
  if (!blocks) return tl::unexpected(blocks.error());
  // A chunk ends where there is a gap, so only the ends of blocks are looked at; and a cursor has
  // its say only where their times leave a doubt.
  std::vector<int64_t> doubtful;
  for (size_t i = blocks->size(); i-- > 1 && doubtful.size() < most;) {
    const BlockRef& before = (*blocks)[i - 1];
    int64_t length = before.last_realtime_ns - before.first_realtime_ns;
    int64_t pace = before.samples > 1 ? length / (before.samples - 1) : 0;
    int64_t step = (*blocks)[i].first_realtime_ns - before.last_realtime_ns;
    if (step > longest_step(pace)) doubtful.push_back(before.last_realtime_ns);
  }
  auto cursor = open_recording(folder, {});
  if (!cursor) return tl::unexpected(cursor.error());
  for (int64_t end_ns : doubtful) {
    auto sample = (*cursor)->at(end_ns);
    if (sample && *sample) sample = (*cursor)->next();
    if (!sample) return tl::unexpected(sample.error());
  }
  auto gaps = (*cursor)->gaps();
  std::ranges::stable_sort(gaps, {}, &Gap::from_ns);
  return gaps;
}

}  // namespace tacho
