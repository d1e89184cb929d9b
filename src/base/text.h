// Parsing numbers and splitting text without allocating; and making outside text safe to print.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

[[nodiscard]] std::string_view trim(std::string_view s);

/// The whole of `s` as a decimal number; nothing for an empty, signed, partial or overflowing one.
[[nodiscard]] std::optional<uint64_t> parse_u64(std::string_view s, int base = 10);
[[nodiscard]] std::optional<int64_t> parse_i64(std::string_view s);
/// "1.25" with 2 digits → 125; "3" → 300; more digits than asked are cut. Nothing for other text.
[[nodiscard]] std::optional<int64_t> parse_fixed(std::string_view s, int digits);

/// Takes the next field (separated by spaces and tabs) off the front; empty when none is left.
std::string_view next_field(std::string_view& rest);
/// Takes the next line off the front, without its '\n'; false when nothing is left.
bool next_line(std::string_view& rest, std::string_view& line);

[[nodiscard]] std::vector<std::string_view> split(std::string_view s, char separator);

/// Control characters (C0, C1, DEL), backslashes aside, as \n, \t, \e or \xNN; broken UTF-8 as
/// \xNN: text from outside (names, command lines, log lines) must not reach a terminal raw.
[[nodiscard]] std::string escape_control(std::string_view s);

/// "10s", "100ms", "5m", "2h", "30d", a bare number is seconds; in nanoseconds.
[[nodiscard]] std::optional<int64_t> parse_duration(std::string_view s);
/// "1GiB", "500MB", "64KiB", "10M" (powers of 1024 but for kB, MB, GB); in bytes.
[[nodiscard]] std::optional<uint64_t> parse_size(std::string_view s);

}  // namespace tacho
