#include "collect/cost_ledger.h"

#include "base/clock.h"
#include "schema/recorder.h"

namespace tacho {
namespace {

class CostReader : public Reader {
 public:
  explicit CostReader(std::shared_ptr<const CostLedger> ledger) : ledger_(std::move(ledger)) {}
  TableId table() const override { return TableId::source_cost; }
  Result<void> read(Collecting& /*collecting*/, Rows& rows) override {
    ledger_->fill(rows);
    return {};
  }

 private:
  std::shared_ptr<const CostLedger> ledger_;
};

}  // namespace

void CostLedger::count(TableId id, const Rows& rows) {
  Entry& entry = entries_[static_cast<size_t>(id)];
  ++entry.reads;
  entry.cost_ns += rows.cost_ns;
  entry.last = rows.absent;
  if (rows.absent != Absent::no) ++entry.failures;
}

void CostLedger::fill(Rows& rows) const {
  for (size_t i = 0; i < kTableCount; ++i) {
    const Entry& entry = entries_[i];
    if (entry.reads == 0) continue;
    size_t row = rows.append();
    rows.set_text(row, schema::source_cost["table"], table_view(static_cast<TableId>(i)).name);
    rows.set(row, schema::source_cost["reads"], entry.reads);
    rows.set(row, schema::source_cost["cost"], static_cast<uint64_t>(entry.cost_ns / 1000));
    rows.set(row, schema::source_cost["failures"], entry.failures);
    rows.set(row, schema::source_cost["absent"], static_cast<uint64_t>(entry.last));
  }
}

std::unique_ptr<Reader> make_cost_reader(std::shared_ptr<const CostLedger> ledger) {
  return std::make_unique<CostReader>(std::move(ledger));
}

}  // namespace tacho
