// RANGE: the span of time a command looks at, as the user writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho::cli {

class Arguments;

/// A span of REALTIME, both ends included.
struct Range {
  int64_t from_ns = 0;
  int64_t to_ns = 0;

  bool operator==(const Range&) const = default;
};

/// The words as typed.
struct RangeWords {
  std::optional<std::string> last;
  std::optional<std::string> from;
  std::optional<std::string> to;

  /// Declares --last, --from and --to.
  void declare(Arguments& args);
  [[nodiscard]] bool given() const { return last || from || to; }
};

/// Which of two is meant where the clock shows a time twice (the hour that clocks go back).
enum class Twice { earlier, later };

/// One time: "10:32", "10:32:05" (the last such moment before `now`), "-10m" (before `now`), "now",
/// "2026-12-01", "2026-12-01 10:32[:05]", "today 10:32", "yesterday 22:00", epoch seconds
/// ("1764585000", "@1764585000.5"), RFC 3339 ("2026-12-01T10:32:05+08:00"). Local time, where no
/// offset is given; a time that the clock skipped does not exist and is an error.
[[nodiscard]] Result<int64_t> parse_time(std::string_view text, int64_t now_ns,
                                         Twice twice = Twice::earlier);

/// What the words mean, given what the recording holds; without words, all it holds. An error names
/// the word that cannot be read, or says what the recording holds where the range lies outside it.
[[nodiscard]] Result<Range> parse_range(const RangeWords& words, int64_t now_ns, const Range& held);

/// "2026-12-01 10:00:00 to 10:32:05": for people.
[[nodiscard]] std::string to_text(const Range& range);

}  // namespace tacho::cli
