#include "render/width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tacho {
namespace {

struct Range {
  uint32_t from;
  uint32_t to;
};

/// Unicode's East Asian wide and full-width blocks (EastAsianWidth.txt), as far as terminals agree.
constexpr std::array<Range, 10> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1FAFF},
                                       {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 5> kZero{
    {{0x300, 0x36F}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064}, {0xFE00, 0xFE0F}}};

template <size_t N>
bool lies_in(const std::array<Range, N>& ranges, uint32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& r) { return c >= r.from && c <= r.to; });
}

struct Glyph {
  size_t bytes;
  size_t width;
};

/// What stands at the front of a text that is not empty.
Glyph glyph(std::string_view s) {
  auto byte = [&s](size_t i) { return static_cast<unsigned char>(s[i]); };
  if (s[0] == '\x1b' && s.size() > 1 && s[1] == '[') {
    size_t end = s.find('m');
    return end == std::string_view::npos ? Glyph{1, 1} : Glyph{end + 1, 0};
  }
  size_t length = byte(0) < 0x80   ? 1
                  : byte(0) < 0xC2 ? 0
                  : byte(0) < 0xE0 ? 2
                  : byte(0) < 0xF0 ? 3
                                   : 4;
  if (length == 0 || length > s.size()) return {1, 1};
  uint32_t c = length == 1 ? byte(0) : byte(0) & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {1, 1};
    c = (c << 6) | (byte(i) & 0x3FU);
  }
  return {length, lies_in(kZero, c) ? 0U : lies_in(kWide, c) ? 2U : 1U};
}

/// Bytes at the front that fit into `width` columns.
size_t prefix_bytes(std::string_view text, size_t width) {
  size_t bytes = 0;
  for (size_t used = 0; bytes < text.size();) {
    Glyph g = glyph(text.substr(bytes));
    if (used + g.width > width) break;
    used += g.width;
    bytes += g.bytes;
  }
  return bytes;
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    Glyph g = glyph(text);
    width += g.width;
    text.remove_prefix(g.bytes);
  }
  return width;
}

std::string fit(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::string out(text.substr(0, prefix_bytes(text, width - 1)));
  return out + "…";
}

std::string pad_right(std::string_view text, size_t width) {
  std::string out(text);
  size_t used = display_width(text);
  if (used < width) out.append(width - used, ' ');
  return out;
}

std::string pad_left(std::string_view text, size_t width) {
  size_t used = display_width(text);
  std::string out(used < width ? width - used : 0, ' ');
  return out.append(text);
}

std::vector<std::string> wrap(std::string_view text, size_t width) {
  width = std::max<size_t>(width, 1);
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    size_t end = prefix_bytes(text, width);
    if (end == 0) end = glyph(text).bytes;  // one character wider than the line
    size_t space = text[end] == ' ' ? end : text.substr(0, end).rfind(' ');
    if (space == std::string_view::npos || space == 0) space = end;
    std::string_view line = text.substr(0, space);
    lines.emplace_back(line.substr(0, line.find_last_not_of(' ') + 1));
    text.remove_prefix(space);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string hang(std::string_view first, std::string_view text, size_t width) {
  size_t indent = display_width(first);
  std::string out;
  for (const std::string& line : wrap(text, width > indent ? width - indent : 1)) {
    out += out.empty() ? std::string(first) : std::string(indent, ' ');
    out += line;
    out += '\n';
  }
  return out;
}

}  // namespace tacho
