// What `tacho why` says, before it is put into words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "derive/span.h"
#include "diagnose/thresholds.h"

namespace tacho {

enum class Level { ok, warning, critical, unknown };
[[nodiscard]] std::string_view name(Level level);

/// One number of a step, against its threshold.
struct Check {
  std::string_view id;  ///< "disk.await"
  Number value;         ///< in `unit`
  std::string_view unit;
  double threshold = 0;
  std::string_view op;  ///< how the value stands to the threshold where it is alarming: ">" or "<"
  Level level = Level::unknown;
  std::string subject;  ///< the disk, the group …; empty for the whole machine
};

/// A step of the procedure; always in the order gpu, cpu, disk, memory, network.
struct Step {
  std::string_view name;
  std::vector<Check> checks;
  /// The worst of its checks; unknown only where nothing could be measured.
  [[nodiscard]] Level level() const;
};

struct Culprit {
  std::string_view kind = "process";
  uint64_t pid = 0;
  std::string name;
  std::string user;
};

enum class Severity { info, warning, critical };
[[nodiscard]] std::string_view name(Severity severity);

/// What a rule found. `cause` is one of the stable names of the design, section 5.
struct Finding {
  std::string_view cause;
  Severity severity = Severity::warning;
  double score = 0;  ///< 0 to 1: how much of the waiting it explains
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  Message title;
  std::vector<Message> evidence;
  std::vector<Message> advice;
  std::optional<int64_t> since_ns;
  std::optional<Culprit> culprit;
  /// Fewer windows than a rule wants were there at all.
  bool few_windows = false;
};

struct RuledOut {
  std::string_view cause;
  Message because;
};
struct Unmeasured {
  std::string what;
  Absent because;
};

struct Diagnosis {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  size_t samples = 0;
  double interval_s = 0;
  std::string_view cause;       ///< of the verdict
  std::string_view confidence;  ///< "high", "medium", "low"
  Message title;
  std::optional<int64_t> since_ns;
  std::optional<Culprit> culprit;
  std::vector<Step> steps;
  std::vector<Finding> findings;  ///< the verdict's first
  std::vector<RuledOut> ruled_out;
  std::vector<Unmeasured> unmeasured;
};

/// Walks the steps, runs the rules and decides. A pure function of the span.
[[nodiscard]] Diagnosis diagnose(const Span& span, const Thresholds& thresholds);

}  // namespace tacho
