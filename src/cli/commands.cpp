#include "cli/commands.h"

#include <array>

namespace tacho::cli {
namespace {

constexpr std::array kCommands{
    Command{"schema", "[TABLE]", "every metric: unit, kind, source, meaning", schema},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace tacho::cli
