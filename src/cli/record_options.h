// How often is recorded and what is kept, as the command line and the configuration write it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "recording/writer.h"

namespace tacho::cli {

/// "10s", "500ms": from 100 ms to an hour.
[[nodiscard]] Result<int64_t> parse_interval(std::string_view text);

/// "1GiB,30d": the most bytes and the greatest age, either alone, in any order. What is not named
/// stays as in `keep`.
[[nodiscard]] Result<Retention> parse_retention(std::string_view text, Retention keep = {});

}  // namespace tacho::cli
