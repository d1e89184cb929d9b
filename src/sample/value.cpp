#include "sample/value.h"

#include <array>

namespace tacho {
namespace {

struct Words {
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array<Words, 12> kWords{{
    {"present", "present"},
    {"not_read", "not read"},
    {"no_permission", "no permission"},
    {"not_supported", "not supported here"},
    {"timed_out", "timed out"},
    {"gone", "gone while it was read"},
    {"unreadable", "cannot be understood"},
    {"not_due", "not due yet"},
    {"no_second_sample", "no second sample yet"},
    {"was_reset", "the counter was reset"},
    {"not_recorded", "not recorded"},
    {"not_applicable", "does not apply"},
}};

const Words& words(Absent reason) {
  auto index = static_cast<size_t>(reason);
  return kWords[index < kWords.size() ? index : static_cast<size_t>(Absent::unreadable)];
}

}  // namespace

std::string_view name(Absent reason) {
  return words(reason).name;
}
std::string_view describe(Absent reason) {
  return words(reason).sentence;
}

}  // namespace tacho
