// What reading each table has cost so far: the rows of the table source_cost.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "collect/reader.h"

namespace tacho {

class CostLedger {
 public:
  /// Counts one reading of a table by what its rows say of themselves.
  void count(TableId id, const Rows& rows);
  /// A row for each table that was read at least once.
  void fill(Rows& rows) const;

 private:
  struct Entry {
    uint64_t reads = 0;
    uint64_t failures = 0;
    int64_t cost_ns = 0;
    Absent last = Absent::no;
  };
  std::array<Entry, kTableCount> entries_{};
};

/// The reader of source_cost.
[[nodiscard]] std::unique_ptr<Reader> make_cost_reader(std::shared_ptr<const CostLedger> ledger);

}  // namespace tacho
