// The speeds of the link modes, and link modes as text.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "host/ethtool.h"

namespace tacho {
namespace {

/// Modes of consecutive numbers with the same speed, in Mbit/s. Numbers that stand in no range are
/// no speeds but properties (autonegotiation, kind of port, pause, error correction) or newer than
/// this list. A number is never given anew.
struct Range {
  unsigned first;
  unsigned last;
  uint32_t speed;
};
constexpr std::array kRanges{
    Range{0, 1, 10},         Range{2, 3, 100},         Range{4, 5, 1000},
    Range{12, 12, 10000},    Range{15, 15, 2500},      Range{17, 17, 1000},
    Range{18, 20, 10000},    Range{21, 22, 20000},     Range{23, 26, 40000},
    Range{27, 30, 56000},    Range{31, 33, 25000},     Range{34, 35, 50000},
    Range{36, 39, 100000},   Range{40, 40, 50000},     Range{41, 41, 1000},
    Range{42, 46, 10000},    Range{47, 47, 2500},      Range{48, 48, 5000},
    Range{52, 56, 50000},    Range{57, 61, 100000},    Range{62, 66, 200000},
    Range{67, 67, 100},      Range{68, 68, 1000},      Range{69, 73, 400000},
    Range{75, 79, 100000},   Range{80, 84, 200000},    Range{85, 89, 400000},
    Range{90, 91, 100},      Range{92, 92, 10},        Range{93, 98, 800000},
    Range{99, 102, 10},      Range{103, 108, 200000},  Range{109, 114, 400000},
    Range{115, 120, 800000}, Range{121, 124, 1600000},
};

}  // namespace

uint64_t highest_speed(const LinkModes& modes) {
  auto has = [&](unsigned bit) {
    return bit / 32 < modes.size() && (modes[bit / 32] >> (bit % 32) & 1) != 0;
  };
  uint32_t highest = 0;
  for (const Range& range : kRanges) {
    for (unsigned bit = range.first; bit <= range.last; ++bit) {
      if (has(bit)) highest = std::max(highest, range.speed);
    }
  }
  return highest;
}

std::string link_modes_text(const LinkModes& modes) {
  return fmt::format("{:08x}", fmt::join(modes, ","));
}

LinkModes parse_link_modes(std::string_view text) {
  LinkModes modes;
  for (std::string_view word : split(text, ',')) {
    auto bits = parse_u64(trim(word), 16);
    if (!bits || *bits > UINT32_MAX) return {};
    modes.push_back(static_cast<uint32_t>(*bits));
  }
  return modes;
}

}  // namespace tacho
