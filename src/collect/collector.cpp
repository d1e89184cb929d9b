#include "collect/collector.h"

#include <algorithm>

#include "collect/cost_ledger.h"
#include "collect/event_log.h"
#include "collect/registry.h"
#include "collect/slow_reader.h"
#include "collect/tree.h"

namespace tacho {
namespace {

/// A little early counts as due: an interval of 10 s is met by samples 9.999 s apart.
constexpr int64_t kEarly = 50 * kMillisecond;
/// Texts of instances long gone stay in a pool; beyond this it is replaced.
constexpr size_t kPoolBytes = 512 * 1024;

bool same_cells(const Rows& a, const Rows& b) {
  if (a.size() != b.size() || a.absent != b.absent || &a.pool() != &b.pool()) return false;
  for (size_t row = 0; row < a.size(); ++row) {
    if (!std::ranges::equal(a.cells(row), b.cells(row)) ||
        !std::ranges::equal(a.reasons(row), b.reasons(row))) {
      return false;
    }
  }
  return true;
}

}  // namespace

/// A reader of the sampling thread and what is known of its runs.
struct Collector::Slot {
  explicit Slot(std::unique_ptr<Reader> r) : reader(std::move(r)), id(reader->table()) {}

  std::unique_ptr<Reader> reader;
  TableId id;
  int64_t read_ns = 0;
  bool ever = false;
  /// Rows given out before: reused once nobody holds them any more.
  std::array<std::shared_ptr<Rows>, 3> given{};

  [[nodiscard]] bool due(int64_t now_ns, bool live) const {
    const Cadence& cadence = table_view(id).cadence;
    if (!ever || !live || cadence.when == Cadence::When::every_sample) return true;
    return now_ns - read_ns >= cadence.seconds * kSecond - kEarly;
  }
};

Collector::Collector(std::shared_ptr<Machine> machine, const Selection& selection,
                     const CollectorOptions& options)
    : machine_(std::move(machine)),
      selection_(selection),
      options_(options),
      watch_list_(std::make_shared<WatchList>()),
      event_log_(std::make_shared<EventLog>()),
      costs_(std::make_shared<CostLedger>()),
      pool_(std::make_shared<TextPool>()) {
  for (auto& reader :
       make_readers(selection, options.all_threads, watch_list_, event_log_, options.sockets)) {
    if (reader->slow() && machine_->is_live()) {
      Cadence cadence = table_view(reader->table()).cadence;
      slow_.push_back(std::make_unique<SlowReader>(std::move(reader), machine_, cadence));
    } else {
      add(std::move(reader));
    }
  }
  if (selection.has(TableId::source_cost)) add(make_cost_reader(costs_));
}

Collector::~Collector() = default;

void Collector::add(std::unique_ptr<Reader> reader) {
  slots_.push_back(std::make_unique<Slot>(std::move(reader)));
}

std::shared_ptr<Rows> Collector::spare(Slot& slot) {
  for (auto& rows : slot.given) {
    if (rows && rows.use_count() == 1 && rows->pool_ptr() == pool_) {
      rows->clear();
      rows->absent = Absent::no;
      return rows;
    }
  }
  auto rows = std::make_shared<Rows>(layout_of(slot.id), pool_);
  auto free = std::ranges::find_if(
      slot.given, [](const auto& given) { return !given || given.use_count() == 1; });
  if (free != slot.given.end()) *free = rows;
  return rows;
}

void Collector::read(Slot& slot, Collecting& collecting, Sample& sample) {
  auto rows = spare(slot);
  int64_t before = thread_cpu_ns();
  int64_t begin_ns = monotonic_ns();
  auto outcome = slot.reader->read(collecting, *rows);
  // Where the CPUs are busy a reading may be held up halfway: its middle is nearest to all rows.
  int64_t middle_ns = begin_ns + (monotonic_ns() - begin_ns) / 2;
  rows->read_ns = machine_->is_live() ? middle_ns : collecting.clock.monotonic_ns;
  rows->cost_ns = thread_cpu_ns() - before;
  if (!outcome) {
    rows->clear();
    rows->absent = absent_of(outcome.error());
  }
  costs_->count(slot.id, *rows);
  slot.ever = true;
  slot.read_ns = collecting.clock.monotonic_ns;
  bool fact = table_view(slot.id).cadence.when == Cadence::When::on_change;
  const Rows* known = previous_ ? previous_->rows(slot.id) : nullptr;
  if (fact && known != nullptr && same_cells(*known, *rows)) {
    sample.carry(slot.id, previous_->rows_ptr(slot.id));
  } else {
    sample.put(slot.id, std::move(rows));
  }
}

void Collector::take_slow(Sample& sample) {
  for (auto& slow : slow_) {
    auto rows = slow->take(sample.clock.monotonic_ns);
    if (!rows) continue;
    costs_->count(slow->table(), *rows);
    sample.put(slow->table(), std::move(rows));
  }
}

void Collector::wait_for_slow() {
  int64_t deadline = monotonic_ns() + options_.first_wait_ns;
  for (auto& slow : slow_)
    slow->wait(deadline);
}

void Collector::renew_pool() {
  if (pool_->bytes() < kPoolBytes) return;
  auto old = pool_;
  pool_ = std::make_shared<TextPool>();
  if (!previous_) return;
  auto moved = std::make_shared<Sample>(*previous_);
  for (size_t i = 0; i < kTableCount; ++i) {
    auto id = static_cast<TableId>(i);
    const Rows* rows = previous_->rows(id);
    if (rows != nullptr && rows->pool_ptr() == old) moved->carry(id, rows->rebase(pool_));
  }
  previous_ = std::move(moved);
}

SamplePtr Collector::collect(int64_t late_ns) {
  renew_pool();
  auto sample = std::make_shared<Sample>();
  sample->number = ++samples_;
  sample->clock = machine_->clocks();
  sample->late_ns = late_ns;
  for (size_t i = 0; previous_ && i < kTableCount; ++i) {
    auto id = static_cast<TableId>(i);
    sample->carry(id, previous_->rows_ptr(id));
  }
  for (auto& slow : slow_)
    slow->request(sample->clock, sample->number);
  Collecting collecting{*machine_, buffer_, sample->clock, sample->number, previous_.get()};
  for (auto& slot : slots_) {
    if (slot->due(sample->clock.monotonic_ns, machine_->is_live()))
      read(*slot, collecting, *sample);
  }
  if (samples_ == 1 && options_.first_wait_ns > 0) wait_for_slow();
  take_slow(*sample);
  previous_ = sample;
  return sample;
}

}  // namespace tacho
