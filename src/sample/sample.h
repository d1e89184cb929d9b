// Everything known about the machine at one instant.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "sample/rows.h"

namespace tacho {

/// The tables somebody wants, and the columns where it pays: live, only their sources are read;
/// recorded, only their groups are decoded.
class Selection {
 public:
  Selection() = default;
  Selection(std::initializer_list<TableId> tables) {
    for (TableId id : tables)
      add(id);
  }
  [[nodiscard]] static Selection all() {
    Selection s;
    s.tables_.set();
    return s;
  }
  /// What a recorder reads: all but what is read on request only.
  [[nodiscard]] static Selection recorded() {
    Selection s;
    for (size_t i = 0; i < kTableCount; ++i) {
      auto id = static_cast<TableId>(i);
      if (table_view(id).cadence.when != Cadence::When::on_request) s.add(id);
    }
    return s;
  }
  void add(TableId id) { tables_.set(static_cast<size_t>(id)); }
  void remove(TableId id) { tables_.reset(static_cast<size_t>(id)); }
  [[nodiscard]] bool has(TableId id) const { return tables_.test(static_cast<size_t>(id)); }

  /// Adds the table of the column, of which from now on only the columns named so are wanted. A
  /// source of nothing else may be left unread; others may be given all the same.
  void want(Column column) {
    add(column.table);
    if (!wants(column) || !narrowed(column.table)) columns_.push_back(column);
  }
  [[nodiscard]] bool wants(Column column) const {
    return has(column.table) &&
           (!narrowed(column.table) || std::ranges::find(columns_, column) != columns_.end());
  }
  /// Whether columns of the table were named, so that the others are not wanted.
  [[nodiscard]] bool narrowed(TableId id) const {
    return std::ranges::any_of(columns_, [id](const Column& c) { return c.table == id; });
  }

 private:
  std::bitset<kTableCount> tables_;
  std::vector<Column> columns_;
};

/// A sample holds, of each table, the rows that were read last. Tables are multi-rate: one that was
/// not due keeps its earlier rows with their own, earlier `read_ns`; fresh() tells which were read
/// in this very sample. Copying is cheap: rows are shared and never change.
class Sample {
 public:
  uint64_t number = 0;  ///< counts up by one per sample of a recording; gaps mean lost samples
  Clocks clock;         ///< when sampling began
  int64_t late_ns = 0;  ///< how long after its scheduled time it began

  /// The rows read last, or null where the table was never read (or not selected).
  [[nodiscard]] const Rows* rows(TableId id) const { return tables_[index(id)].get(); }
  [[nodiscard]] RowsPtr rows_ptr(TableId id) const { return tables_[index(id)]; }
  [[nodiscard]] bool fresh(TableId id) const { return fresh_.test(index(id)); }

  /// Puts rows read in this sample.
  void put(TableId id, RowsPtr rows) {
    tables_[index(id)] = std::move(rows);
    fresh_.set(index(id));
  }
  /// Keeps rows from an earlier sample.
  void carry(TableId id, RowsPtr rows) {
    tables_[index(id)] = std::move(rows);
    fresh_.reset(index(id));
  }

  /// Tables that only the recording knows; for `dump`.
  std::vector<RowsPtr> unknown;

 private:
  static constexpr size_t index(TableId id) { return static_cast<size_t>(id); }
  std::array<RowsPtr, kTableCount> tables_{};
  std::bitset<kTableCount> fresh_;
};
using SamplePtr = std::shared_ptr<const Sample>;

}  // namespace tacho
