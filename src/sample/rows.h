// The rows of one table at one instant: one row per instance, one cell per column.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sample/value.h"
#include "schema/catalog.h"

namespace tacho {

/// Gives each distinct text a number; equal texts have equal numbers, so rows compare and keys
/// match as integers. Number 0 is the empty text. Grows only: who fills it for long starts a new
/// one from time to time (Rows::rebase). Not thread-safe while it is being filled.
class TextPool {
 public:
  TextPool();
  uint64_t intern(std::string_view text);
  /// The text, valid as long as the pool; empty for a number it never gave.
  [[nodiscard]] std::string_view view(uint64_t id) const;
  [[nodiscard]] size_t size() const { return texts_.size(); }
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  std::unordered_map<std::string_view, uint64_t> ids_;
  std::vector<std::unique_ptr<std::string>> texts_;  // stable addresses under ids_ and view()
  size_t bytes_ = 0;
};
using TextPoolPtr = std::shared_ptr<TextPool>;

/// Cells are row-major: 64 bits and a reason each.
class Rows {
 public:
  Rows(LayoutPtr layout, TextPoolPtr pool);

  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] const LayoutPtr& layout_ptr() const { return layout_; }
  [[nodiscard]] const TextPool& pool() const { return *pool_; }
  [[nodiscard]] const TextPoolPtr& pool_ptr() const { return pool_; }
  [[nodiscard]] size_t width() const { return width_; }
  [[nodiscard]] size_t size() const { return width_ == 0 ? 0 : cells_.size() / width_; }
  [[nodiscard]] bool empty() const { return cells_.empty(); }

  [[nodiscard]] std::span<const uint64_t> cells(size_t row) const {
    return {cells_.data() + row * width_, width_};
  }
  [[nodiscard]] std::span<const Absent> reasons(size_t row) const {
    return {reasons_.data() + row * width_, width_};
  }
  [[nodiscard]] Value at(size_t row, size_t column) const {
    return {cells_[row * width_ + column], reasons_[row * width_ + column]};
  }
  [[nodiscard]] Value at(size_t row, Column column) const { return at(row, column.index); }
  /// A text cell; empty where absent.
  [[nodiscard]] std::string_view text(size_t row, Column column) const {
    Value v = at(row, column);
    return v ? pool_->view(v.bits) : std::string_view{};
  }
  /// A numeric cell in the unit people read (bytes, seconds …); signed where the column is.
  [[nodiscard]] Number number(size_t row, size_t column) const;
  [[nodiscard]] Number number(size_t row, Column column) const { return number(row, column.index); }

  // Filling. A new row has every cell absent (not_read).
  size_t append();
  /// Makes room for so many rows at once.
  void reserve(size_t rows);
  void append(std::span<const uint64_t> cells, std::span<const Absent> reasons);
  void set(size_t row, size_t column, uint64_t bits) {
    cells_[row * width_ + column] = bits;
    reasons_[row * width_ + column] = Absent::no;
  }
  void set(size_t row, Column column, uint64_t bits) { set(row, column.index, bits); }
  void set_text(size_t row, size_t column, std::string_view text) {
    set(row, column, pool_->intern(text));
  }
  void set_text(size_t row, Column column, std::string_view text) {
    set_text(row, column.index, text);
  }
  void set_absent(size_t row, size_t column, Absent reason) {
    cells_[row * width_ + column] = 0;  // an absent cell is all zero: equal rows compare equal
    reasons_[row * width_ + column] = reason;
  }
  void set_absent(size_t row, Column column, Absent reason) {
    set_absent(row, column.index, reason);
  }
  /// Sets the reason alone and leaves the bits: for who rebuilds rows cell by cell (a recording).
  void restore_reason(size_t row, size_t column, Absent reason) {
    reasons_[row * width_ + column] = reason;
  }
  /// Drops the last row (of an instance that ended while it was read).
  void drop_last();
  /// Empties the rows but keeps their storage.
  void clear();
  /// The same rows with their texts in another pool.
  [[nodiscard]] std::shared_ptr<Rows> rebase(const TextPoolPtr& pool) const;

  /// Whether the key cells of a row here and one there (same layout, same pool) are equal.
  [[nodiscard]] bool same_key(size_t row, const Rows& other, size_t other_row) const;
  [[nodiscard]] uint64_t key_hash(size_t row) const;

  int64_t read_ns = 0;  ///< MONOTONIC time at which the table was read: rates are over this
  int64_t cost_ns = 0;  ///< CPU time that reading took
  /// Why the table as a whole could not be read; there are no rows then. `no`: it was read, and no
  /// rows means that there are no instances.
  Absent absent = Absent::no;

 private:
  LayoutPtr layout_;
  TextPoolPtr pool_;
  size_t width_;
  std::vector<uint64_t> cells_;
  std::vector<Absent> reasons_;
};
using RowsPtr = std::shared_ptr<const Rows>;

/// Finds rows by key. Remembers where it was: asking in order costs one comparison a row.
/// The rows must outlive it.
class KeyIndex {
 public:
  explicit KeyIndex(const Rows& rows) : rows_(rows) {}
  /// The row here whose key equals that of `row` in `other` (same layout and pool), or npos.
  [[nodiscard]] size_t find(const Rows& other, size_t row);
  static constexpr size_t npos = static_cast<size_t>(-1);

 private:
  const Rows& rows_;
  size_t next_ = 0;
  std::unordered_multimap<uint64_t, size_t> by_hash_;  // built on the first miss
};

}  // namespace tacho
