#include "synthetic.h"

#include <array>
#include <random>
#include <vector>

#include "collect/collector.h"
#include "recording/writer.h"
#include "schema/process.h"

namespace tacho::bench {
namespace {

/// The rows of one table, going on from what they were.
class Going {
 public:
  Going(const Rows& rows, TextPoolPtr pool, size_t most_rows)
      : rows_(rows.layout_ptr(), pool), cadence_(table_view(*rows.layout().id).cadence) {
    auto rebased = rows.rebase(pool);
    for (size_t row = 0; row < std::min(rebased->size(), most_rows); ++row)
      rows_.append(rebased->cells(row), rebased->reasons(row));
    rows_.absent = rows.absent;
    for (const auto& column : rows_.layout().columns)
      moves_.push_back(column.kind == Kind::counter);
  }

  [[nodiscard]] bool due(uint64_t second) const {
    if (cadence_.when == Cadence::When::every_sample) return true;
    return cadence_.seconds > 0 && second % static_cast<uint64_t>(cadence_.seconds) == 0;
  }
  /// One row in twelve works; the counters of the others stand still, as most do.
  RowsPtr next(std::mt19937& random, int64_t now_ns) {
    auto rows = std::make_shared<Rows>(rows_);
    bool few = rows_.size() < 12;
    for (size_t row = 0; row < rows->size(); ++row) {
      if (!few && random() % 12 != 0) continue;
      for (size_t column = 0; column < moves_.size(); ++column) {
        Value value = rows->at(row, column);
        if (!moves_[column] || !value || value.bits == 0) continue;
        if (random() % 3 == 0) rows->set(row, column, value.bits + random() % 50);
      }
    }
    rows->read_ns = now_ns;
    for (size_t row = 0; row < rows->size(); ++row) {
      for (size_t column = 0; column < moves_.size(); ++column) {
        Value value = rows->at(row, column);
        if (moves_[column] && value) rows_.set(row, column, value.bits);
      }
    }
    return rows;
  }

 private:
  Rows rows_;
  Cadence cadence_;
  std::vector<bool> moves_;
};

}  // namespace

Result<void> write_synthetic(const std::string& folder, uint64_t seconds, size_t processes) {
  CollectorOptions options;
  options.first_wait_ns = 2 * kSecond;
  Collector collector(Machine::live(), Selection::all(), options);
  (void)collector.collect();
  auto real = collector.collect();

  auto pool = std::make_shared<TextPool>();
  std::array<std::unique_ptr<Going>, kTableCount> tables;
  for (size_t i = 0; i < kTableCount; ++i) {
    auto id = static_cast<TableId>(i);
    if (const Rows* rows = real->rows(id))
      tables[i] = std::make_unique<Going>(*rows, pool, id == TableId::process ? processes : 500);
  }
  WriterOptions writing;
  writing.interval_ns = kSecond;
  writing.retention.max_bytes = uint64_t{1} << 40;
  writing.retention.min_free_bytes = 0;
  auto writer = Writer::open(folder, writing);
  if (!writer) return tl::unexpected(writer.error());
  std::mt19937 random(1);
  Clocks clock = real->clock;
  int64_t span = static_cast<int64_t>(seconds) * kSecond;
  clock.realtime_ns -= span;
  for (uint64_t second = 0; second < seconds; ++second) {
    Sample sample;
    clock.realtime_ns += kSecond;
    clock.monotonic_ns += kSecond;
    clock.boottime_ns += kSecond;
    sample.clock = clock;
    for (size_t i = 0; i < kTableCount; ++i) {
      if (tables[i] && (second == 0 || tables[i]->due(second)))
        sample.put(static_cast<TableId>(i), tables[i]->next(random, clock.monotonic_ns));
    }
    auto written = (*writer)->append(sample);
    if (!written) return written;
  }
  return (*writer)->close();
}

}  // namespace tacho::bench
