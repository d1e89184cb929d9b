#include "synthetic.h"

#include <map>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "recording/reader.h"
#include "recording/writer.h"

namespace tacho::bench {
namespace {

/// A cell that each repetition adds `growth` to.
struct Growing {
  size_t row;
  size_t column;
  uint64_t growth;
};

struct Table {
  std::shared_ptr<Rows> rows;
  std::vector<Growing> growing;
};

class Repeater {
 public:
  Result<void> load(const std::string& folder) {
    auto cursor = open_recording(folder, Selection::all());
    if (!cursor) return tl::unexpected(cursor.error());
    auto sample = (*cursor)->first();
    for (; sample && *sample; sample = (*cursor)->next())
      samples_.push_back(in_one_pool(**sample));
    if (!sample) return tl::unexpected(sample.error());
    if (samples_.size() < 2) return fail(Errc::invalid, "{}: holds too few samples", folder);
    for (const Sample& s : samples_)
      prepare(s);
    return {};
  }

  /// Sample `number` of the endless repetition.
  SamplePtr make(uint64_t number, int64_t realtime_ns) {
    const Sample& source = samples_[number % samples_.size()];
    uint64_t repetition = number / samples_.size();
    auto sample = std::make_shared<Sample>();
    sample->number = number;
    sample->late_ns = source.late_ns;
    int64_t now = (static_cast<int64_t>(number) + 1'000) * kSecond + source.late_ns;
    sample->clock = {realtime_ns + source.late_ns, now, now};
    for (size_t i = 0; i < kTableCount; ++i) {
      auto id = static_cast<TableId>(i);
      if (source.fresh(id)) {
        const Table& table = tables_.at(source.rows(id));
        auto rows = std::make_shared<Rows>(*table.rows);
        for (const Growing& g : table.growing) {
          rows->set(g.row, g.column, rows->at(g.row, g.column).bits + repetition * g.growth);
        }
        rows->read_ns += now - source.clock.monotonic_ns;
        sample->put(id, rows);
        last_[id] = rows;
      } else if (auto known = last_.find(id); known != last_.end()) {
        sample->carry(id, known->second);
      }
    }
    return sample;
  }

 private:
  Sample in_one_pool(const Sample& sample) {
    Sample moved = sample;
    for (size_t i = 0; i < kTableCount; ++i) {
      auto id = static_cast<TableId>(i);
      if (sample.rows(id) == nullptr) continue;
      if (sample.fresh(id)) {
        moved.put(id, sample.rows(id)->rebase(pool_));
      } else {
        moved.carry(id, nullptr);  // make() carries what it made
      }
    }
    return moved;
  }

  /// The first rows of the table that come, from either end.
  template <typename Iterator>
  static const Rows& first_of(Iterator sample, TableId id) {
    while (sample->rows(id) == nullptr)
      ++sample;
    return *sample->rows(id);
  }

  void prepare(const Sample& sample) {
    for (size_t i = 0; i < kTableCount; ++i) {
      auto id = static_cast<TableId>(i);
      if (!sample.fresh(id)) continue;
      const Rows& rows = *sample.rows(id);
      Table& table = tables_[&rows];
      table.rows = std::make_shared<Rows>(rows);
      grow(rows, first_of(samples_.begin(), id), first_of(samples_.rbegin(), id), table.growing);
    }
  }

  static void grow(const Rows& rows, const Rows& first, const Rows& last,
                   std::vector<Growing>& growing) {
    KeyIndex in_first(first);
    KeyIndex in_last(last);
    for (size_t row = 0; row < rows.size(); ++row) {
      size_t a = in_first.find(rows, row);
      size_t b = in_last.find(rows, row);
      if (a == KeyIndex::npos || b == KeyIndex::npos) continue;
      for (size_t c = 0; c < rows.width(); ++c) {
        if (rows.layout().columns[c].kind != Kind::counter) continue;
        Value begin = first.at(a, c);
        Value end = last.at(b, c);
        if (rows.at(row, c) && begin && end && end.bits > begin.bits) {
          growing.push_back({row, c, end.bits - begin.bits});
        }
      }
    }
  }

  TextPoolPtr pool_ = std::make_shared<TextPool>();
  std::vector<Sample> samples_;
  std::map<const Rows*, Table> tables_;
  std::map<TableId, RowsPtr> last_;
};

}  // namespace

Result<int64_t> write_synthetic(const std::string& source, const std::string& folder,
                                uint64_t seconds) {
  Repeater repeater;
  auto loaded = repeater.load(source);
  if (!loaded) return tl::unexpected(loaded.error());
  WriterOptions options;
  options.interval_ns = kSecond;
  options.retention.max_bytes = uint64_t{1} << 40;
  auto writer = Writer::open(folder, options);
  if (!writer) return tl::unexpected(writer.error());
  int64_t end = realtime_ns() / kSecond;
  int64_t begin_ns = (end - static_cast<int64_t>(seconds)) * kSecond;
  for (uint64_t i = 0; i < seconds; ++i) {
    auto sample = repeater.make(i, begin_ns + static_cast<int64_t>(i) * kSecond);
    auto written = (*writer)->append(*sample);
    if (!written) return tl::unexpected(written.error());
  }
  auto closed = (*writer)->close();
  if (!closed) return tl::unexpected(closed.error());
  return end;
}

}  // namespace tacho::bench
