#include "render/table.h"

#include <algorithm>
#include <numeric>

#include "render/width.h"

namespace tacho {
namespace {

constexpr size_t kApart = 2;
constexpr size_t kNarrowest = 4;  // below that a cut cell says nothing

}  // namespace

void TextTable::add(std::vector<TableCell> row) {
  row.resize(columns_.size(), TableCell(""));
  rows_.push_back(std::move(row));
}

std::vector<size_t> TextTable::widths(size_t available) const {
  std::vector<size_t> result;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = std::max(columns_[i].width, display_width(columns_[i].title));
    for (const auto& row : rows_)
      width = std::max(width, display_width(row[i].text));
    result.push_back(width);
  }
  size_t total = std::accumulate(result.begin(), result.end(), size_t{0}) +
                 kApart * (columns_.empty() ? 0 : columns_.size() - 1);
  for (; total > available; --total) {
    size_t widest = columns_.size();
    for (size_t i = 0; i < columns_.size(); ++i) {
      bool may = columns_[i].shrinks && result[i] > kNarrowest;
      if (may && (widest == columns_.size() || result[i] > result[widest])) widest = i;
    }
    if (widest == columns_.size()) break;
    --result[widest];
  }
  return result;
}

std::string TextTable::render(size_t width, const Palette& palette, size_t indent) const {
  std::vector<size_t> cell_widths = widths(width > indent ? width - indent : 1);
  std::string out;
  auto line = [&](auto cell_of, auto style_of) {
    std::string text(indent, ' ');
    size_t used = indent;
    size_t owed = 0;  // spaces due before the next visible text, so that none trail
    for (size_t i = 0; i < columns_.size() && used + owed < width; ++i) {
      std::string cell = fit(cell_of(i), std::min(cell_widths[i], width - used - owed));
      size_t cell_width = display_width(cell);
      size_t fill = cell_widths[i] > cell_width ? cell_widths[i] - cell_width : 0;
      if (columns_[i].align == Align::right && cell_width > 0) {
        fill = std::min(fill, width - used - owed - cell_width);
        owed += fill;
        fill = 0;
      }
      if (cell_width > 0) {
        text.append(owed, ' ');
        text += palette.paint(style_of(i), cell);
        used += owed + cell_width;
        owed = 0;
      }
      owed += fill + kApart;
    }
    out += used == indent ? "" : text;
    out += '\n';
  };
  bool titled = std::any_of(columns_.begin(), columns_.end(),
                            [](const TableColumn& c) { return !c.title.empty(); });
  if (titled) {
    line([&](size_t i) { return std::string_view(columns_[i].title); },
         [](size_t) { return Style::dim; });
  }
  for (const auto& row : rows_) {
    line([&](size_t i) { return std::string_view(row[i].text); },
         [&](size_t i) { return row[i].style; });
  }
  return out;
}

}  // namespace tacho
