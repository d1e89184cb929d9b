// How top writes a figure into a column of a given width. None of these is wider than `width`, and
// what does not fit there in any form is "?". An absent figure is "-".
#pragma once

#include <string>
#include <string_view>

#include "sample/value.h"

namespace tacho::top {

/// Digits; where there is no room, cut with a '+'.
[[nodiscard]] std::string whole(Number value, int width);
/// KiB, in the unit of that index in "kmgtp" or a larger one: "299312", "20.0t".
[[nodiscard]] std::string memory(Number kib, int width, int unit);
/// Scaled by 1024 only where there is no room: "123456", "1.2m".
[[nodiscard]] std::string count(Number value, int width);
/// One digit after the point, or none where there is no room; `precise`: up to three.
[[nodiscard]] std::string percent(Number value, int width, bool precise = false);

enum class TimeForm { hundredths, seconds, minutes };
/// "1:23.45", "361:00", "7,30" (hours and minutes), "4d+2h", "3w+1d": the first that suits, from
/// `form` on.
[[nodiscard]] std::string time(Number seconds, int width, TimeForm form);

/// Text that is safe to print, in at most `width` columns; what was cut is marked with a '+'.
[[nodiscard]] std::string cut(std::string_view text, int width);

}  // namespace tacho::top
