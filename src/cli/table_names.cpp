#include "cli/table_names.h"

#include "cli/nearest.h"

namespace tacho::cli {

Result<std::vector<TableId>> named_tables(const std::vector<std::string>& names) {
  std::vector<TableId> all;
  std::vector<std::string_view> known;
  for (size_t i = 0; i < kTableCount; ++i) {
    all.push_back(static_cast<TableId>(i));
    known.push_back(table_view(all.back()).name);
  }
  if (names.empty()) return all;
  std::vector<TableId> chosen;
  for (const std::string& name : names) {
    auto id = find_table(name);
    if (!id) {
      return fail(Errc::invalid, "there is no table '{}'{}", name,
                  did_you_mean(name, known, "tacho schema lists them"));
    }
    chosen.push_back(*id);
  }
  return chosen;
}

}  // namespace tacho::cli
