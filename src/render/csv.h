// Comma-separated values, RFC 4180 (lines end in '\n' alone, as Unix tools expect).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tacho {

/// The field, quoted where it holds a comma, a quote or a line break.
[[nodiscard]] std::string csv_field(std::string_view text);
/// Appends one record with its line end.
void append_csv(std::string& out, std::span<const std::string> fields);

}  // namespace tacho
