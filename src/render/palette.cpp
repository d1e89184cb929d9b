#include "render/palette.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/text.h"

namespace tacho {
namespace {

/// SGR parameters (ECMA-48); the eight basic colours, which every terminal theme keeps readable.
std::string_view sgr(Style style) {
  switch (style) {
    case Style::plain:
      return "";
    case Style::bold:
      return "1";
    case Style::dim:
      return "2";
    case Style::good:
      return "32";
    case Style::warning:
      return "33";
    case Style::critical:
      return "1;31";
  }
  return "";
}

size_t from_environment(const char* name, size_t otherwise) {
  const char* text = std::getenv(name);
  auto value = text ? parse_u64(text) : std::nullopt;
  return value && *value > 0 && *value < 10000 ? static_cast<size_t>(*value) : otherwise;
}

}  // namespace

bool wants_colour(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour && *no_colour) return false;
  const char* term = std::getenv("TERM");
  return isatty(fd) == 1 && term && std::string_view(term) != "dumb";
}

size_t terminal_width(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return from_environment("COLUMNS", 80);
}

size_t terminal_height(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return 24;
}

std::string Palette::paint(Style style, std::string_view text) const {
  if (!coloured_ || style == Style::plain || text.empty()) return std::string(text);
  std::string out = "\x1b[";
  out += sgr(style);
  out += 'm';
  out += text;
  out += "\x1b[0m";
  return out;
}

}  // namespace tacho
