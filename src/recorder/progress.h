// The table progress: how far the watched programs say that they are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/reader.h"

namespace tacho {

/// What was reported last, by name. Kept by the loop, changed by its control socket between
/// samples, read by the reader.
class Progress {
 public:
  struct Entry {
    std::string name;
    uint64_t steps = 0;
    std::optional<uint64_t> total;
  };
  static constexpr size_t kMostNames = 64;
  static constexpr size_t kLongestName = 200;

  /// Fails (invalid) for a name that is empty or too long, or one name too many.
  Result<void> report(const std::string& name, uint64_t steps, std::optional<uint64_t> total);
  /// Its program has ended: what stands still for ever is no progress.
  void finish(const std::string& name);
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// `progress` must outlive the reader.
[[nodiscard]] std::unique_ptr<Reader> make_progress_reader(const Progress& progress);

}  // namespace tacho
