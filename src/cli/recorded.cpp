#include "cli/recorded.h"

#include "cli/output.h"

namespace tacho::cli {

Result<uint64_t> last_number_in(Cursor& cursor, const Range& range) {
  auto last = cursor.at(range.to_ns);
  if (!last) return tl::unexpected(last.error());
  return *last ? (*last)->number : 0;
}

void note_gaps(std::string_view command, const std::vector<Gap>& gaps) {
  for (const Gap& gap : gaps)
    note(command, "gap: " + describe(gap));
}

}  // namespace tacho::cli
