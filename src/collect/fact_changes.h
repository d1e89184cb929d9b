// Changes of facts that slow a training or explain why it slowed: a link that fell back, a quota
// that was set, a file system that turned read-only; and deaths in the watched tree.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collect/event_log.h"
#include "sample/sample.h"

namespace tacho {

/// Compares sample with sample. What is watched is one declared list (fact_changes.cpp).
class FactChanges {
 public:
  /// Adds an event for each difference between `sample` and the one given before.
  void compare(const Sample& sample, std::vector<Event>& events);

 private:
  std::array<RowsPtr, kTableCount> last_{};
};

}  // namespace tacho
