#include "collect/exit_reader.h"

#include <optional>

#include "collect/exit_sums.h"
#include "host/users.h"

namespace tacho {
namespace {

class ExitReader : public Reader {
 public:
  explicit ExitReader(std::shared_ptr<ExitLedger> ledger) : ledger_(std::move(ledger)) {}
  TableId table() const override { return TableId::process_exit; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    if (!listener_) {
      listener_ = ExitListener::open(collecting.machine);
      heard_since_ns_ = monotonic_ns();
      if (!*listener_) ledger_->disable();
    }
    if (!*listener_) return tl::unexpected(listener_->error());  // it was refused: not asked again
    exits_.clear();
    (*listener_)->drain(exits_);
    auto heard_us = static_cast<uint64_t>(monotonic_ns() - heard_since_ns_) / 1000;
    for (const EndedProcess& ended : ledger_->settle(exits_, heard_us))
      sums_.add(ended);
    sums_.fill(rows, (*listener_)->lost(),
               [&](uint64_t uid) { return users_.name(uid, collecting.machine); });
    return {};
  }

 private:
  std::shared_ptr<ExitLedger> ledger_;
  std::optional<Result<ExitListener>> listener_;
  int64_t heard_since_ns_ = 0;
  std::vector<TaskExit> exits_;
  ExitSums sums_;
  Users users_;
};

}  // namespace

std::unique_ptr<Reader> make_exit_reader(std::shared_ptr<ExitLedger> ledger) {
  return std::make_unique<ExitReader>(std::move(ledger));
}

}  // namespace tacho
