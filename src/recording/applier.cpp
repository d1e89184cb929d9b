#include <algorithm>

#include "recording/delta.h"

namespace tacho {

Applier::Applier(std::shared_ptr<const RecordedSchema> schema, const Selection& selection)
    : schema_(std::move(schema)),
      states_(schema_->size()),
      dictionary_(std::make_shared<TextPool>()),
      text_ids_{0} {
  for (const RecordedTable& table : *schema_) {
    wanted_.push_back(!table.id || selection.has(*table.id));
  }
}

std::shared_ptr<Rows> Applier::spare(State& state, const RecordedTable& table) {
  for (auto& rows : state.given) {
    if (rows && rows.use_count() > 1) continue;
    if (!rows) rows = std::make_shared<Rows>(table.layout, dictionary_);
    rows->clear();
    return rows;
  }
  return std::make_shared<Rows>(table.layout, dictionary_);
}

Result<void> Applier::apply_table(State& state, const TableDelta& delta, const RecordedTable& table,
                                  Sample& sample) {
  size_t recorded = table.columns.size();
  auto misfit = [&](std::string_view what) {
    return fail(Errc::corrupt, "table {}: {} of an instance that is not there", table.name, what);
  };
  auto rows = spare(state, table);
  std::vector<uint32_t> slots;
  auto dead = delta.deaths.begin();
  if (delta.deaths.empty() && state.rows) {
    *rows = *state.rows;
    slots = state.slots;
  }
  for (size_t i = 0; !delta.deaths.empty() && i < state.slots.size(); ++i) {
    if (dead != delta.deaths.end() && *dead == state.slots[i]) {
      ++dead;
      continue;
    }
    rows->append(state.rows->cells(i), state.rows->reasons(i));
    slots.push_back(state.slots[i]);
  }
  if (dead != delta.deaths.end()) return misfit("the end");

  auto is_text = [&](size_t column) { return table.columns[column].type == Type::text; };
  size_t row = 0;
  auto find = [&](uint32_t slot) {
    while (row < slots.size() && slots[row] < slot)
      ++row;
    return row < slots.size() && slots[row] == slot;
  };
  // Text cells hold ids of dictionary_, which equal the chain's numbers (both count up from the
  // empty text, and a text comes once): so deltas of numbers are deltas of ids.
  for (const Change& change : delta.changes) {
    if (change.column >= recorded || !find(change.slot)) return misfit("a change");
    uint16_t column = table.column[change.column];
    Value was = rows->at(row, column);
    uint64_t now = was.bits + static_cast<uint64_t>(change.delta);
    if (is_text(change.column) && now >= dictionary_->size()) return misfit("a text");
    rows->set(row, column, now);
    if (!was) rows->restore_reason(row, column, was.absent);
  }
  row = 0;
  for (const ReasonChange& change : delta.reasons) {
    if (change.column >= recorded || !find(change.slot)) return misfit("a reason");
    rows->restore_reason(row, table.column[change.column], change.reason);
  }
  size_t births = recorded == 0 ? 0 : delta.birth_cells.size() / recorded;
  for (size_t birth = 0; birth < births; ++birth) {
    size_t at = rows->append();
    for (size_t c = 0; c < rows->width(); ++c)
      rows->set_absent(at, c, Absent::not_recorded);
    for (size_t c = 0; c < recorded; ++c) {
      uint64_t cell = delta.birth_cells[birth * recorded + c];
      if (is_text(c) && cell >= dictionary_->size()) return misfit("a text");
      rows->set(at, table.column[c], cell);
      rows->restore_reason(at, table.column[c], delta.birth_reasons[birth * recorded + c]);
    }
    slots.push_back(state.next_slot + static_cast<uint32_t>(birth));
  }
  state.next_slot += static_cast<uint32_t>(births);
  state.slots = std::move(slots);
  rows->read_ns = delta.read_ns;
  rows->cost_ns = delta.cost_ns;
  rows->absent = delta.absent;
  state.rows = rows;
  if (!table.id) {
    sample.unknown.push_back(rows);
  } else if (delta.fresh) {
    sample.put(*table.id, rows);
  } else {
    sample.carry(*table.id, rows);
  }
  return {};
}

Result<SamplePtr> Applier::apply(const SampleDelta& delta) {
  for (const std::string& text : delta.texts)
    text_ids_.push_back(dictionary_->intern(text));
  if (text_ids_.back() != text_ids_.size() - 1) {
    return fail(Errc::corrupt, "a text stands twice in the dictionary");
  }
  auto sample = std::make_shared<Sample>();
  sample->number = delta.number;
  sample->clock = delta.clock;
  sample->late_ns = delta.late_ns;
  for (size_t i = 0; i < kTableCount; ++i) {
    auto id = static_cast<TableId>(i);
    sample->carry(id, last_.rows_ptr(id));
  }
  for (const TableDelta& table : delta.tables) {
    if (table.table >= schema_->size()) return fail(Errc::corrupt, "a table that has no schema");
    if (!wanted_[table.table]) continue;
    auto applied = apply_table(states_[table.table], table, (*schema_)[table.table], *sample);
    if (!applied) return tl::unexpected(applied.error());
  }
  last_ = *sample;
  return sample;
}

}  // namespace tacho
