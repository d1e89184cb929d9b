// The original's words for the counters of the protocols.
#pragma once

#include <cstdint>
#include <string_view>

namespace tacho {

enum class StatisticKind : uint8_t {
  always,  ///< shown whatever it is
  some,    ///< shown where it is not 0; so is a counter without words
  input,   ///< in the histogram of what came in
  output,  ///< in the histogram of what was sent
  never,   ///< a setting
};

struct StatisticText {
  std::string_view group;
  std::string_view name;  ///< as the kernel calls it
  std::string_view text;  ///< {} stands for the number
  StatisticKind kind;
};

/// Null for a counter for which the original has no words.
[[nodiscard]] const StatisticText* statistic_text(std::string_view group, std::string_view name);

}  // namespace tacho
