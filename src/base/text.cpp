#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace tacho {
namespace {

constexpr bool blank(char c) {
  return c == ' ' || c == '\t';
}

/// A number with fraction and the unit behind it.
std::optional<double> parse_leading_number(std::string_view s, std::string_view& unit) {
  size_t digits = 0;
  while (digits < s.size() && ((s[digits] >= '0' && s[digits] <= '9') || s[digits] == '.'))
    ++digits;
  double value = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + digits, value);
  if (digits == 0 || error != std::errc{} || end != s.data() + digits) return std::nullopt;
  unit = trim(s.substr(digits));
  return value;
}

/// Length of the well-formed UTF-8 sequence at the front of `s`; 0 if there is none.
size_t utf8_length(std::string_view s) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  auto tail = [&](size_t i) { return i < s.size() && (byte(i) & 0xc0) == 0x80; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xc2 && byte(0) < 0xe0) return tail(1) ? 2 : 0;
  if (byte(0) >= 0xe0 && byte(0) < 0xf0) {
    bool overlong = byte(0) == 0xe0 && s.size() > 1 && byte(1) < 0xa0;
    bool surrogate = byte(0) == 0xed && s.size() > 1 && byte(1) >= 0xa0;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (byte(0) >= 0xf0 && byte(0) < 0xf5) {
    bool outside = s.size() > 1 &&
                   ((byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) >= 0x90));
    return tail(1) && tail(2) && tail(3) && !outside ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string_view trim(std::string_view s) {
  auto space = [](char c) { return blank(c) || c == '\n' || c == '\r' || c == '\0'; };
  while (!s.empty() && space(s.front()))
    s.remove_prefix(1);
  while (!s.empty() && space(s.back()))
    s.remove_suffix(1);
  return s;
}

std::optional<uint64_t> parse_u64(std::string_view s, int base) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, base);
  if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return value;
}

std::optional<int64_t> parse_i64(std::string_view s) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return value;
}

std::optional<int64_t> parse_fixed(std::string_view s, int digits) {
  bool negative = !s.empty() && s.front() == '-';
  if (negative) s.remove_prefix(1);
  size_t point = s.find('.');
  std::string_view fraction = point == std::string_view::npos ? "" : s.substr(point + 1);
  auto value = parse_u64(s.substr(0, point));
  if (!value || (point != std::string_view::npos && !parse_u64(fraction))) return std::nullopt;
  for (int i = 0; i < digits; ++i) {
    if (*value > std::numeric_limits<int64_t>::max() / 10 - 1) return std::nullopt;
    auto at = static_cast<size_t>(i);
    *value = *value * 10 + (at < fraction.size() ? static_cast<uint64_t>(fraction[at] - '0') : 0);
  }
  auto result = static_cast<int64_t>(*value);
  return negative ? -result : result;
}

std::string_view next_field(std::string_view& rest) {
  size_t begin = 0;
  while (begin < rest.size() && blank(rest[begin]))
    ++begin;
  size_t end = begin;
  while (end < rest.size() && !blank(rest[end]))
    ++end;
  std::string_view field = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return field;
}

bool next_line(std::string_view& rest, std::string_view& line) {
  if (rest.empty()) return false;
  size_t end = rest.find('\n');
  line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return true;
}

std::vector<std::string_view> split(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t end = s.find(separator);
    parts.push_back(s.substr(0, end));
    if (end == std::string_view::npos) return parts;
    s.remove_prefix(end + 1);
  }
}

std::string escape_control(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  while (!s.empty()) {
    size_t length = utf8_length(s);
    auto c = static_cast<unsigned char>(s.front());
    bool c1 = length == 2 && c == 0xc2 && static_cast<unsigned char>(s[1]) < 0xa0;
    if (length == 0 || (length == 1 && (c < 0x20 || c == 0x7f))) {
      if (c == '\n') {
        out += "\\n";
      } else if (c == '\t') {
        out += "\\t";
      } else if (c == 0x1b) {
        out += "\\e";
      } else {
        out += fmt::format("\\x{:02x}", c);
      }
      s.remove_prefix(1);
    } else if (c1) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(s[1]));
      s.remove_prefix(2);
    } else {
      out.append(s.substr(0, length));
      s.remove_prefix(length);
    }
  }
  return out;
}

std::optional<int64_t> parse_duration(std::string_view s) {
  std::string_view unit;
  auto value = parse_leading_number(trim(s), unit);
  if (!value) return std::nullopt;
  double scale = 0;
  if (unit.empty() || unit == "s") scale = 1e9;
  if (unit == "us") scale = 1e3;
  if (unit == "ms") scale = 1e6;
  if (unit == "m" || unit == "min") scale = 60e9;
  if (unit == "h") scale = 3600e9;
  if (unit == "d") scale = 86400e9;
  if (unit == "w") scale = 7 * 86400e9;
  double ns = *value * scale;
  if (scale == 0 || ns >= 9e18) return std::nullopt;
  return static_cast<int64_t>(std::llround(ns));
}

std::optional<uint64_t> parse_size(std::string_view s) {
  std::string_view unit;
  auto value = parse_leading_number(trim(s), unit);
  if (!value) return std::nullopt;
  struct Named {
    std::string_view name;
    double scale;
  };
  static constexpr std::array<Named, 18> kUnits{{{"", 1},
                                                 {"B", 1},
                                                 {"K", 0x1p10},
                                                 {"k", 0x1p10},
                                                 {"KiB", 0x1p10},
                                                 {"kB", 1e3},
                                                 {"KB", 1e3},
                                                 {"M", 0x1p20},
                                                 {"m", 0x1p20},
                                                 {"MiB", 0x1p20},
                                                 {"MB", 1e6},
                                                 {"G", 0x1p30},
                                                 {"g", 0x1p30},
                                                 {"GiB", 0x1p30},
                                                 {"GB", 1e9},
                                                 {"T", 0x1p40},
                                                 {"TiB", 0x1p40},
                                                 {"TB", 1e12}}};
  for (const Named& named : kUnits) {
    double bytes = *value * named.scale;
    if (named.name == unit && bytes < 0x1p63) return static_cast<uint64_t>(bytes);
  }
  return std::nullopt;
}

}  // namespace tacho
