#pragma once

#include <string_view>

namespace tacho::cli {

inline constexpr std::string_view kVersion = TACHO_VERSION;

}  // namespace tacho::cli
