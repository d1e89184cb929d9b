// Colour, on terminals only.
#pragma once

#include <string>
#include <string_view>

namespace tacho {

enum class Style { plain, bold, dim, good, warning, critical };

/// Whether output to `fd` should be coloured: a terminal that is not "dumb", and no NO_COLOR
/// (https://no-color.org) in the environment.
[[nodiscard]] bool wants_colour(int fd);

/// Columns of the terminal at `fd`; of COLUMNS, or 80, where it is none.
[[nodiscard]] size_t terminal_width(int fd);
/// Lines of the terminal at `fd`; 24 where it is none.
[[nodiscard]] size_t terminal_height(int fd);

class Palette {
 public:
  explicit Palette(bool coloured) : coloured_(coloured) {}
  /// The text in that style, or just the text.
  [[nodiscard]] std::string paint(Style style, std::string_view text) const;

 private:
  bool coloured_;
};

}  // namespace tacho
