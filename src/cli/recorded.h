// A range of a recording, sample by sample.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/range.h"
#include "sample/cursor.h"

namespace tacho::cli {

/// The number of the last sample in the range: a walk ends there. Its time does not tell, where the
/// clock was set back on the way; 0 where there is none.
[[nodiscard]] Result<uint64_t> last_number_in(Cursor& cursor, const Range& range);

/// "tacho why: gap: 2026-12-01T10:00:00+00:00 to …" on standard error, a line each.
void note_gaps(std::string_view command, const std::vector<Gap>& gaps);

}  // namespace tacho::cli
