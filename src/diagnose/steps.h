// The five steps and their checks.
#pragma once

#include <vector>

#include "diagnose/diagnosis.h"

namespace tacho {

/// gpu, cpu, disk, memory, network; also what could not be measured is in it.
[[nodiscard]] std::vector<Step> walk_steps(const Span& span, const Thresholds& thresholds);

}  // namespace tacho
