#include "views/top/format.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "render/number.h"
#include "render/width.h"

namespace tacho::top {
namespace {

constexpr std::string_view kSuffixes = "kmgtpe";
constexpr const char* kNoRoom = "?";

bool fits(const std::string& text, int width) {
  return static_cast<int>(text.size()) <= width;
}

}  // namespace

std::string whole(Number value, int width) {
  if (!value) return kAbsentText;
  std::string text = fmt::format("{}", std::llround(*value));
  if (fits(text, width)) return text;
  text.resize(static_cast<size_t>(width));
  text.back() = '+';
  return text;
}

std::string memory(Number kib, int width, int unit) {
  if (!kib) return kAbsentText;
  double value = *kib;
  for (int i = 0; i < 5; ++i, value /= 1024) {
    if (i < unit) continue;
    std::string text = i == 0 ? fmt::format("{:.0f}", value)
                              : fmt::format("{:.1f}{}", value, kSuffixes[static_cast<size_t>(i)]);
    if (fits(text, width)) return text;
  }
  return kNoRoom;
}

std::string count(Number value, int width) {
  if (!value) return kAbsentText;
  std::string text = fmt::format("{:.0f}", *value);
  if (fits(text, width)) return text;
  double scaled = *value;
  for (char suffix : kSuffixes) {
    scaled /= 1024;
    for (int digits : {1, 0}) {
      text = fmt::format("{:.{}f}{}", scaled, digits, suffix);
      if (fits(text, width)) return text;
    }
  }
  return kNoRoom;
}

std::string percent(Number value, int width, bool precise) {
  if (!value) return kAbsentText;
  for (int digits = precise ? 3 : 1; digits >= 0; --digits) {
    std::string text = fmt::format("{:.{}f}", *value, digits);
    if (fits(text, width)) return text;
  }
  return kNoRoom;
}

std::string time(Number seconds, int width, TimeForm form) {
  constexpr uint64_t kMostMinutes = 360;
  constexpr uint64_t kMostHours = 96;
  constexpr uint64_t kMostDays = 14;
  if (!seconds) return kAbsentText;
  auto hundredths = static_cast<uint64_t>(std::llround(std::max(*seconds, 0.0) * 100));
  uint64_t secs = hundredths / 100;
  uint64_t mins = secs / 60;
  uint64_t hours = mins / 60;
  uint64_t days = hours / 24;
  std::string text;
  auto tried = [&](std::string form_of_it) {
    text = std::move(form_of_it);
    return fits(text, width);
  };
  if (mins <= kMostMinutes) {
    if (form == TimeForm::hundredths &&
        tried(fmt::format("{}:{:02}.{:02}", mins, secs % 60, hundredths % 100))) {
      return text;
    }
    if (form != TimeForm::minutes && tried(fmt::format("{}:{:02}", mins, secs % 60))) return text;
  }
  if (hours <= kMostHours && tried(fmt::format("{},{:02}", hours, mins % 60))) return text;
  if (days <= kMostDays) {
    if (tried(fmt::format("{}d+{}h", days, hours % 24))) return text;
    if (tried(fmt::format("{}d", days))) return text;
  }
  if (tried(fmt::format("{}w+{}d", days / 7, days % 7))) return text;
  return tried(fmt::format("{}w", days / 7)) ? text : kNoRoom;
}

std::string cut(std::string_view text, int width) {
  auto room = static_cast<size_t>(width);
  // Bytes are never fewer than columns.
  if (text.size() <= room || display_width(text) <= room) return std::string(text);
  constexpr std::string_view kMark = "…";
  std::string shorter = fit(text, room);
  if (shorter.ends_with(kMark)) shorter.resize(shorter.size() - kMark.size());
  return shorter + "+";
}

}  // namespace tacho::top
