// From samples to a diagnosis: what why, run and scripts share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/range.h"
#include "diagnose/diagnosis.h"
#include "sample/cursor.h"

namespace tacho::cli {

struct Diagnosed {
  Diagnosis diagnosis;
  std::string host;  ///< name of the machine that was recorded
  std::vector<Gap> gaps;
};

/// Diagnoses the samples of `range` in the recording.
[[nodiscard]] Result<Diagnosed> diagnose_recording(const std::string& folder, const Range& range,
                                                   const Thresholds& thresholds);
/// Samples the machine once a second for `seconds`; of a rooted machine, all its folders.
[[nodiscard]] Result<Diagnosed> diagnose_live(const std::vector<std::string>& roots, int seconds,
                                              const Thresholds& thresholds);

}  // namespace tacho::cli
