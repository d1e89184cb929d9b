// What a sample shows of the machine, what it does not, and how to allow it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sample/sample.h"

namespace tacho::cli {

/// Metrics of a table that are absent for one reason.
struct Missing {
  Absent reason = Absent::not_read;
  std::vector<std::string> metrics;
  size_t instances = 0;  ///< of how many at most
};

struct TableSurvey {
  TableId table = TableId::host;
  /// `partly`: something that could be there is not. What this kernel or device does not have is
  /// in `missing`, but does not make it so.
  enum class Seen { all, partly, nothing } seen = Seen::nothing;
  Absent reason = Absent::no;  ///< why there is nothing
  size_t instances = 0;
  std::vector<Missing> missing;
};

/// Of each table of the schema, in its order. Reasons that are no fault of anybody's (it does not
/// apply, no second sample yet) are no reasons here. Tables that only a watched program or the
/// recorder fills are left out.
[[nodiscard]] std::vector<TableSurvey> survey(const Sample& sample);

/// How what is missing can be had, as a message id; empty where nothing helps.
[[nodiscard]] std::string_view remedy(TableId table, Absent reason);

}  // namespace tacho::cli
