// How wide text is on a terminal, and making it fit. All text is UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

/// Columns a text takes: East Asian wide characters two, combining ones none, escape sequences of
/// colour (ESC [ … m) none. A byte that is not UTF-8 counts one.
[[nodiscard]] size_t display_width(std::string_view text);

/// At most `width` columns; what was cut is marked by a final "…".
[[nodiscard]] std::string fit(std::string_view text, size_t width);

[[nodiscard]] std::string pad_right(std::string_view text, size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, size_t width);

/// Lines of at most `width` columns, broken at spaces; a word that is longer is broken inside.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, size_t width);

/// The text wrapped into `width` columns: the first line after `first`, the others after as many
/// spaces as `first` takes. Every line ends in '\n'.
[[nodiscard]] std::string hang(std::string_view first, std::string_view text, size_t width);

}  // namespace tacho
