// Figures as people read them. An absent figure is "-": unknown is never zero.
#pragma once

#include <cstdint>
#include <string>

#include "sample/value.h"
#include "schema/unit.h"

namespace tacho {

inline constexpr const char* kAbsentText = "-";

/// "12.5": fixed digits after the point.
[[nodiscard]] std::string format_fixed(Number value, int digits);
/// Three significant digits and no superfluous zeros: "0.31", "4.5", "42", "1234".
[[nodiscard]] std::string format_short(Number value);
/// Powers of 1024: "0 B", "512 B", "1.5 GiB".
[[nodiscard]] std::string format_bytes(Number bytes);
/// "0.8 ms", "12.3 s", "4m 05s", "3h 07m", "2d 04h".
[[nodiscard]] std::string format_seconds(Number seconds);
/// Powers of 1000: "100 Mbit/s", "2.4 GHz".
[[nodiscard]] std::string format_si(Number value, const char* unit);

/// In the form that suits what is measured, unit included: bytes, seconds, percent …
[[nodiscard]] std::string format_value(Number value, Dimension dimension);
/// The same of a rate: "3.2 MiB/s", "41/s"; a rate of seconds is a share of time: "0.31 s/s".
[[nodiscard]] std::string format_rate(Number value, Dimension dimension);

/// For machines (CSV, JSON): as few digits as give the same double back; an integer without a
/// point. Empty where absent or not finite.
[[nodiscard]] std::string format_exact(Number value);

}  // namespace tacho
