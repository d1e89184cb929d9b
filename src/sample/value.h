// A value that may be absent. Unknown is never zero: an absent value carries its reason.
#pragma once

#include <cstdint>
#include <string_view>

namespace tacho {

/// Why a value is not there. Stored in recordings by value: do not change, append only.
enum class Absent : uint8_t {
  no = 0,        ///< it is there
  not_read = 1,  ///< nothing has tried
  no_permission = 2,
  not_supported = 3,  ///< this kernel or device does not give it
  timed_out = 4,
  gone = 5,              ///< the instance ended while it was read
  unreadable = 6,        ///< what stands there is not what should
  not_due = 7,           ///< its table is read less often
  no_second_sample = 8,  ///< a rate needs two
  was_reset = 9,         ///< the counter fell: no rate for this window
  not_recorded = 10,     ///< the recording does not hold it
  not_applicable = 11,   ///< has no meaning for this instance (a ratio of nothing, say)
};

/// A word for it, as JSON and the recording's documentation use it: "no_permission".
[[nodiscard]] std::string_view name(Absent reason);
/// A sentence for people (a message id): "no permission".
[[nodiscard]] std::string_view describe(Absent reason);

/// One stored cell. `bits` is meaningless where `absent` is not `no`.
struct Value {
  uint64_t bits = 0;
  Absent absent = Absent::no;

  [[nodiscard]] bool has() const { return absent == Absent::no; }
  explicit operator bool() const { return has(); }
};

/// A derived figure, or why there is none.
struct Number {
  double value = 0;
  Absent absent = Absent::no;

  Number() : absent(Absent::not_read) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a figure that is there is just its value.
  Number(double v) : value(v) {}
  // NOLINTNEXTLINE(google-explicit-constructor): and one that is not is just its reason.
  Number(Absent reason) : absent(reason) {}

  [[nodiscard]] bool has() const { return absent == Absent::no; }
  explicit operator bool() const { return has(); }
  [[nodiscard]] double operator*() const { return value; }
  [[nodiscard]] double value_or(double other) const { return has() ? value : other; }
};

}  // namespace tacho
