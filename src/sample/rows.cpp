#include "sample/rows.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>

namespace tacho {
namespace {

/// Asks for huge pages where a table is megabytes long: touching it page by page would take longer
/// than filling it. A hint, no more.
template <typename T>
void hint_size(std::vector<T>& storage) {
  constexpr uintptr_t kHuge = uintptr_t{2} << 20;
  auto begin = reinterpret_cast<uintptr_t>(storage.data());
  uintptr_t end = (begin + storage.capacity() * sizeof(T)) & ~(kHuge - 1);
  begin = (begin + kHuge - 1) & ~(kHuge - 1);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a page is named by its address.
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

TextPool::TextPool() {
  intern("");
}

uint64_t TextPool::intern(std::string_view text) {
  auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  texts_.push_back(std::make_unique<std::string>(text));
  bytes_ += text.size();
  uint64_t id = texts_.size() - 1;
  ids_.emplace(*texts_.back(), id);
  return id;
}

std::string_view TextPool::view(uint64_t id) const {
  return id < texts_.size() ? std::string_view(*texts_[id]) : std::string_view{};
}

Rows::Rows(LayoutPtr layout, TextPoolPtr pool)
    : layout_(std::move(layout)), pool_(std::move(pool)), width_(layout_->columns.size()) {}

Number Rows::number(size_t row, size_t column) const {
  Value v = at(row, column);
  if (!v) return v.absent;
  const ColumnInfo& info = layout_->columns[column];
  if (info.type == Type::text) return Absent::not_applicable;
  double stored = info.type == Type::i64 ? static_cast<double>(static_cast<int64_t>(v.bits))
                                         : static_cast<double>(v.bits);
  return stored * info.unit.factor();
}

size_t Rows::append() {
  size_t row = size();
  cells_.resize(cells_.size() + width_, 0);
  reasons_.resize(reasons_.size() + width_, Absent::not_read);
  return row;
}

void Rows::reserve(size_t rows) {
  cells_.reserve(rows * width_);
  reasons_.reserve(rows * width_);
  hint_size(cells_);
  hint_size(reasons_);
}

void Rows::append(std::span<const uint64_t> cells, std::span<const Absent> reasons) {
  cells_.insert(cells_.end(), cells.begin(), cells.end());
  reasons_.insert(reasons_.end(), reasons.begin(), reasons.end());
}

void Rows::drop_last() {
  cells_.resize(cells_.size() - width_);
  reasons_.resize(reasons_.size() - width_);
}

void Rows::clear() {
  cells_.clear();
  reasons_.clear();
}

std::shared_ptr<Rows> Rows::rebase(const TextPoolPtr& pool) const {
  auto copy = std::make_shared<Rows>(*this);
  copy->pool_ = pool;
  for (size_t column = 0; column < width_; ++column) {
    if (layout_->columns[column].type != Type::text) continue;
    for (size_t cell = column; cell < cells_.size(); cell += width_) {
      if (reasons_[cell] == Absent::no)
        copy->cells_[cell] = pool->intern(pool_->view(cells_[cell]));
    }
  }
  return copy;
}

bool Rows::same_key(size_t row, const Rows& other, size_t other_row) const {
  return std::ranges::all_of(layout_->keys, [&](uint16_t column) {
    return cells_[row * width_ + column] == other.cells_[other_row * width_ + column];
  });
}

uint64_t Rows::key_hash(size_t row) const {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (uint16_t column : layout_->keys) {
    hash = (hash ^ cells_[row * width_ + column]) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

size_t KeyIndex::find(const Rows& other, size_t row) {
  if (next_ < rows_.size() && rows_.same_key(next_, other, row)) return next_++;
  if (by_hash_.empty() && !rows_.empty()) {
    by_hash_.reserve(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i)
      by_hash_.emplace(rows_.key_hash(i), i);
  }
  auto [begin, end] = by_hash_.equal_range(other.key_hash(row));
  for (auto it = begin; it != end; ++it) {
    if (rows_.same_key(it->second, other, row)) {
      next_ = it->second + 1;
      return it->second;
    }
  }
  return npos;
}

}  // namespace tacho
