// What the words after `tacho top` ask for.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/classic/options.h"
#include "views/top/top.h"

namespace tacho::cli {

inline constexpr size_t kTopLeast = 3;  ///< columns of a page
inline constexpr size_t kTopMost = 512;
inline constexpr size_t kTopMostPids = 20;

struct TopJob {
  TopOptions view;
  ClassicOptions classic;
  bool batch = false;
  bool refresh = false;  ///< each page is put over the last one
  bool wide = false;     ///< -w
  size_t width = 0;      ///< of -w; 0: the environment's
  int64_t delay_ns = 0;  ///< 0: each sample of a recording
  int64_t frames = -1;   ///< -1: for ever
};

/// Nothing: go on; otherwise the exit code, after what there was to print.
[[nodiscard]] std::optional<int> parse_top_options(int argc, char** argv, TopJob& job);

}  // namespace tacho::cli
