// top (procps 4.0.2): the same page, right where the original is wrong (docs/differences.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "derive/window.h"
#include "render/json.h"

namespace tacho {

struct TopField;

/// Whose tasks are shown (-u, -U).
struct TopUser {
  /// The user's number; where it is not known (another machine's recording), the name decides.
  std::optional<uint64_t> uid;
  std::string name;
  bool any = false;     ///< -U: real, saved and file-system user too, not the effective one alone
  bool others = false;  ///< "!": everybody else
};

struct TopOptions {
  size_t width = 80;
  size_t lines = 0;           ///< of the page; 0: as many as there are
  bool threads = false;       ///< -H
  bool command_line = false;  ///< -c
  bool each_cpu = false;      ///< -1
  bool busy_only = false;     ///< -i
  bool family_time = false;   ///< -S: TIME with that of children that ended
  int summary_unit = 1;       ///< of memory: index in kTopUnits
  int task_unit = 0;
  bool ascending = false;
  const TopField* sort = nullptr;       ///< null: %CPU
  std::vector<const TopField*> fields;  ///< empty: those that the original shows
  std::vector<uint64_t> pids;           ///< empty: all
  std::optional<TopUser> user;
};

inline constexpr std::string_view kTopUnits = "kmgtpe";

/// Names of all fields, in the original's order.
[[nodiscard]] std::vector<std::string_view> top_field_names();
/// Null where there is none of that name.
[[nodiscard]] const TopField* find_top_field(std::string_view name);

/// The tables and columns that a page with these options is made of.
[[nodiscard]] Selection top_selection(const TopOptions& options);

/// The page: summary, an empty line, titles, a line per task; each ends in '\n'.
[[nodiscard]] std::string top_page(const Window& window, const TopOptions& options);

/// "summary" and "tasks": what the page shows, as numbers. Memory of a task is in KiB, of the
/// summary in bytes, times are in seconds; keys of a task are the names of its fields.
[[nodiscard]] Json top_json(const Window& window, const TopOptions& options);

}  // namespace tacho
