// "Did you mean …": the known word that is most like a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tacho::cli {

/// The known word with the fewest letters to insert, delete, change or swap; nothing where more
/// than a third of the letters would have to change.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> known);

/// "; did you mean 'schema'?", or "; <otherwise>" where no known word is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> known,
                                       std::string_view otherwise);

}  // namespace tacho::cli
