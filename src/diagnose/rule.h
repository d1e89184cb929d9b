// A rule: looks at a span and says what it found, or why it is ruled out.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "diagnose/diagnosis.h"

namespace tacho {

/// A finding; or the reason why this cause is ruled out; or, with an empty message, nothing to say
/// (what it needs was not measured).
using Outcome = std::variant<Finding, Message>;

struct Rule {
  std::string_view cause;
  /// In this order findings of equal score stand: faults first, quota and affinity before disk,
  /// memory before disk (memory trouble shows as I/O).
  int order;
  Outcome (*look)(const Span& span, const Thresholds& thresholds);
};

[[nodiscard]] std::span<const Rule> cpu_rules();
[[nodiscard]] std::span<const Rule> disk_rules();
[[nodiscard]] std::span<const Rule> memory_rules();
[[nodiscard]] std::span<const Rule> net_rules();

/// Persistent is not momentary: whether a signal lasted for as many windows as a rule wants, or for
/// all there are where these are fewer.
[[nodiscard]] bool persists(const Series& series, const Thresholds& thresholds,
                            const Series::Test& test);

/// Since when a signal has been there: what is gone for fewer windows than make it lasting is not
/// gone.
[[nodiscard]] std::optional<int64_t> since(const Series& series, const Thresholds& thresholds,
                                           const Series::Test& test);

/// A finding over the whole span, with what rules share filled in.
[[nodiscard]] Finding found(const Span& span, const Thresholds& thresholds, std::string_view cause);

/// "12.5", "3": for evidence.
[[nodiscard]] std::string figure_text(double value, int digits = 0);

}  // namespace tacho
