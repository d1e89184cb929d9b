#include "render/number.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace tacho {
namespace {

bool usable(Number value) {
  return value.has() && std::isfinite(value.value);
}

/// The value divided by the largest power of `base` that leaves at least 1, and that power's name.
template <size_t N>
std::string scaled(double value, double base, const std::array<std::string_view, N>& prefixes,
                   std::string_view unit) {
  size_t power = 0;
  // 999.95 of one unit would be rounded to a thousand of it: that is 1 of the next.
  while (power + 1 < N && std::fabs(value) >= base - 0.05) {
    value /= base;
    ++power;
  }
  return fmt::format("{} {}{}", format_short(value), prefixes[power], unit);
}

}  // namespace

std::string format_fixed(Number value, int digits) {
  if (!usable(value)) return kAbsentText;
  std::string text = fmt::format("{:.{}f}", value.value, digits);
  bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return zero && text.front() == '-' ? text.substr(1) : text;
}

std::string format_short(Number value) {
  if (!usable(value)) return kAbsentText;
  double size = std::fabs(value.value);
  int digits = size >= 99.5 || size == 0 ? 0 : size >= 9.95 ? 1 : 2;
  std::string text = format_fixed(value, digits);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string format_bytes(Number bytes) {
  if (!usable(bytes)) return kAbsentText;
  static constexpr std::array<std::string_view, 7> kPrefixes{"",   "Ki", "Mi", "Gi",
                                                             "Ti", "Pi", "Ei"};
  return scaled(bytes.value, 1024, kPrefixes, "B");
}

std::string format_si(Number value, const char* unit) {
  if (!usable(value)) return kAbsentText;
  static constexpr std::array<std::string_view, 5> kPrefixes{"", "k", "M", "G", "T"};
  return scaled(value.value, 1000, kPrefixes, unit);
}

std::string format_seconds(Number seconds) {
  if (!usable(seconds)) return kAbsentText;
  double s = seconds.value;
  if (s < 0) return "-" + format_seconds(-s);
  if (s == 0) return "0 s";
  if (s < 0.0009995) return format_short(s * 1e6) + " us";
  if (s < 0.9995) return format_short(s * 1e3) + " ms";
  auto whole = static_cast<int64_t>(std::llround(s));
  if (whole < 120) return format_short(s) + " s";
  if (whole < 3600) return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h {:02}m", whole / 3600, whole % 3600 / 60);
  return fmt::format("{}d {:02}h", whole / 86400, whole % 86400 / 3600);
}

std::string format_value(Number value, Dimension dimension) {
  if (!usable(value)) return kAbsentText;
  switch (dimension) {
    case Dimension::none:
      return format_short(value);
    case Dimension::bytes:
      return format_bytes(value);
    case Dimension::seconds:
      return format_seconds(value);
    case Dimension::percent:
      return format_short(value) + " %";
    case Dimension::hertz:
      return format_si(value, "Hz");
    case Dimension::bits_per_second:
      return format_si(value, "bit/s");
    case Dimension::celsius:
      return format_short(value) + " °C";
    case Dimension::watts:
      return format_short(value) + " W";
    case Dimension::joules:
      return format_si(value, "J");
  }
  return format_short(value);
}

std::string format_rate(Number value, Dimension dimension) {
  if (!usable(value)) return kAbsentText;
  switch (dimension) {
    case Dimension::none:
      return format_short(value) + "/s";
    case Dimension::seconds:
      return format_short(value) + " s/s";
    default:
      return format_value(value, dimension) + "/s";
  }
}

std::string format_exact(Number value) {
  return usable(value) ? fmt::format("{}", value.value + 0.0) : "";
}

}  // namespace tacho
