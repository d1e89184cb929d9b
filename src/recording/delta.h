// The difference between two samples: the unit of a recording. A tail holds one per frame; a chunk
// holds 300 of them turned into columns; reading either gives them back, and applying them in order
// gives the samples.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "recording/schema_block.h"
#include "sample/sample.h"

namespace tacho {

/// A cell of a row that was there before: stored value now minus before, modulo 2^64.
struct Change {
  uint32_t slot = 0;
  uint16_t column = 0;
  int64_t delta = 0;
};
struct ReasonChange {
  uint32_t slot = 0;
  uint16_t column = 0;
  Absent reason = Absent::no;
};

/// What became of one table. Instances have slots: numbers given in order of birth from the first
/// sample of a chain (a chunk or a tail), never given twice in it.
struct TableDelta {
  uint16_t table = 0;  ///< its number in the schema of the file
  bool fresh = true;   ///< false: carried from before the chain began
  int64_t read_ns = 0;
  int64_t cost_ns = 0;
  Absent absent = Absent::no;
  std::vector<uint32_t> deaths;       ///< ascending
  std::vector<uint64_t> birth_cells;  ///< whole rows; slots follow the last one given
  std::vector<Absent> birth_reasons;
  std::vector<Change> changes;  ///< ascending by slot, column
  std::vector<ReasonChange> reasons;
};

/// Text cells are numbers in the chain's own dictionary: 0 is the empty text, then `texts` of all
/// deltas in order.
struct SampleDelta {
  uint64_t number = 0;
  Clocks clock;
  int64_t late_ns = 0;
  std::vector<std::string> texts;
  std::vector<TableDelta> tables;
};

/// Makes deltas of consecutive samples. The first of a chain is whole: it has also the tables that
/// were carried.
class Differ {
 public:
  Differ() { reset(); }
  /// Begins a new chain.
  void reset();
  [[nodiscard]] SampleDelta diff(const Sample& sample, uint64_t number);

 private:
  struct State {
    std::shared_ptr<Rows> rows;  ///< as last given, texts in the dictionary
    std::vector<uint32_t> slots;
    uint32_t next_slot = 0;
  };
  std::shared_ptr<Rows> translate(const Rows& rows);
  void diff_table(State& state, std::shared_ptr<Rows> rows, TableDelta& delta);

  std::vector<State> states_;
  TextPoolPtr dictionary_;
  size_t texts_given_ = 1;
  bool whole_ = true;
  /// Pool id → dictionary id + 1 for each pool that is in use.
  std::unordered_map<const TextPool*, std::pair<TextPoolPtr, std::vector<uint64_t>>> known_;
};

/// Makes samples of a chain's deltas.
class Applier {
 public:
  Applier(std::shared_ptr<const RecordedSchema> schema, const Selection& selection);
  /// The next sample. Fails, and leaves everything as it was before, where the delta does not fit.
  [[nodiscard]] Result<SamplePtr> apply(const SampleDelta& delta);

 private:
  struct State {
    std::shared_ptr<const Rows> rows;
    std::vector<uint32_t> slots;
    uint32_t next_slot = 0;
    /// Rows given out before: filled again once nobody holds them any more.
    std::array<std::shared_ptr<Rows>, 3> given{};
  };
  /// Empty rows to fill.
  std::shared_ptr<Rows> spare(State& state, const RecordedTable& table);
  Result<void> apply_table(State& state, const TableDelta& delta, const RecordedTable& table,
                           Sample& sample);

  std::shared_ptr<const RecordedSchema> schema_;
  std::vector<bool> wanted_;
  std::vector<State> states_;
  TextPoolPtr dictionary_;
  std::vector<uint64_t> text_ids_;  ///< dictionary number → id in dictionary_
  Sample last_;
};

/// The payload of a frame.
void encode_delta(const SampleDelta& delta, const RecordedSchema& schema, std::string& out);
[[nodiscard]] Result<SampleDelta> decode_delta(std::string_view bytes,
                                               const RecordedSchema& schema);

}  // namespace tacho
