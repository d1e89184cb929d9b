#include <algorithm>
#include <cstring>

#include "recording/delta.h"

namespace tacho {

void Differ::reset() {
  states_.assign(kTableCount, {});
  dictionary_ = std::make_shared<TextPool>();
  texts_given_ = 1;
  whole_ = true;
  known_.clear();
}

std::shared_ptr<Rows> Differ::translate(const Rows& rows) {
  auto out = std::make_shared<Rows>(rows.layout_ptr(), dictionary_);
  out->reserve(rows.size());
  std::vector<size_t> text_columns;
  for (size_t i = 0; i < rows.width(); ++i) {
    if (rows.layout().columns[i].type == Type::text) text_columns.push_back(i);
  }
  // Slow tables bring a pool of their own each time: only the pools of now are remembered.
  if (known_.size() > 8) known_.clear();
  auto& [pool, ids] = known_[&rows.pool()];
  pool = rows.pool_ptr();
  if (ids.size() < pool->size()) ids.resize(pool->size(), 0);
  for (size_t row = 0; row < rows.size(); ++row) {
    out->append(rows.cells(row), rows.reasons(row));
    for (size_t column : text_columns) {
      Value v = rows.at(row, column);
      if (!v || v.bits >= ids.size()) continue;
      uint64_t& id = ids[v.bits];
      if (id == 0) id = dictionary_->intern(pool->view(v.bits)) + 1;
      out->set(row, column, id - 1);
    }
  }
  return out;
}

void Differ::diff_table(State& state, std::shared_ptr<Rows> rows, TableDelta& delta) {
  size_t width = rows->width();
  std::vector<uint32_t> slots(rows->size());
  std::vector<bool> kept(state.rows ? state.rows->size() : 0, false);
  std::vector<size_t> born;
  KeyIndex index(state.rows ? *state.rows : *rows);
  for (size_t row = 0; row < rows->size(); ++row) {
    size_t before = state.rows ? index.find(*rows, row) : KeyIndex::npos;
    if (before == KeyIndex::npos || kept[before]) {  // a second row of one key is its own instance
      born.push_back(row);
      continue;
    }
    kept[before] = true;
    slots[row] = state.slots[before];
    auto now = rows->cells(row);
    auto was = state.rows->cells(before);
    if (std::memcmp(now.data(), was.data(), width * sizeof(uint64_t)) != 0) {
      for (size_t c = 0; c < width; ++c) {
        if (now[c] == was[c]) continue;
        delta.changes.push_back(
            {slots[row], static_cast<uint16_t>(c), static_cast<int64_t>(now[c] - was[c])});
      }
    }
    auto reason_now = rows->reasons(row);
    auto reason_was = state.rows->reasons(before);
    if (std::memcmp(reason_now.data(), reason_was.data(), width) != 0) {
      for (size_t c = 0; c < width; ++c) {
        if (reason_now[c] == reason_was[c]) continue;
        delta.reasons.push_back({slots[row], static_cast<uint16_t>(c), reason_now[c]});
      }
    }
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) delta.deaths.push_back(state.slots[i]);
  }
  for (size_t row : born) {
    slots[row] = state.next_slot++;
    auto cells = rows->cells(row);
    auto reasons = rows->reasons(row);
    delta.birth_cells.insert(delta.birth_cells.end(), cells.begin(), cells.end());
    delta.birth_reasons.insert(delta.birth_reasons.end(), reasons.begin(), reasons.end());
  }
  auto by_spot = [](const auto& a, const auto& b) {
    return std::pair(a.slot, a.column) < std::pair(b.slot, b.column);
  };
  std::ranges::sort(delta.deaths);
  std::ranges::sort(delta.changes, by_spot);
  std::ranges::sort(delta.reasons, by_spot);
  state.rows = std::move(rows);
  state.slots = std::move(slots);
}

SampleDelta Differ::diff(const Sample& sample, uint64_t number) {
  SampleDelta delta;
  delta.number = number;
  delta.clock = sample.clock;
  delta.late_ns = sample.late_ns;
  for (size_t i = 0; i < kTableCount; ++i) {
    auto id = static_cast<TableId>(i);
    const Rows* rows = sample.rows(id);
    if (rows == nullptr || !(sample.fresh(id) || whole_)) continue;
    TableDelta table;
    table.table = static_cast<uint16_t>(i);
    table.fresh = sample.fresh(id);
    table.read_ns = rows->read_ns;
    table.cost_ns = rows->cost_ns;
    table.absent = rows->absent;
    diff_table(states_[i], translate(*rows), table);
    delta.tables.push_back(std::move(table));
  }
  for (; texts_given_ < dictionary_->size(); ++texts_given_) {
    delta.texts.emplace_back(dictionary_->view(texts_given_));
  }
  whole_ = false;
  return delta;
}

}  // namespace tacho
