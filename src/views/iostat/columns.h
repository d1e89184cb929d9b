// The columns of iostat's tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "views/iostat/rows.h"

namespace tacho::iostat {

/// How a figure is written.
enum class Form : uint8_t {
  rate,     ///< a number
  bytes,    ///< in the unit of -k, -m or -G; with --human in whichever suits
  total,    ///< the same without a fraction
  kbytes,   ///< always in kB; with --human in whichever suits
  ms,       ///< seconds, shown in ms
  percent,  ///< with --human with its sign
};

struct DiskColumn {
  const char* title;  ///< "@" stands for the unit: kB, MB, GB, Blk
  const char* key;    ///< in JSON, with "@" likewise
  int width;
  Form form;
  Number (*of)(const DiskUse& use);
};

/// Columns of one table; --pretty prints the tables of -x apart.
using Columns = std::vector<DiskColumn>;
[[nodiscard]] std::vector<Columns> tables_of(const IostatOptions& options);
/// The columns in the order of the original's JSON.
[[nodiscard]] Columns json_columns(const IostatOptions& options);

[[nodiscard]] std::string with_unit(const char* text, const IostatOptions& options);
/// The figure in the unit it is shown in.
[[nodiscard]] Number shown(Number value, Form form, const IostatOptions& options);
[[nodiscard]] std::string text_of(Number value, const DiskColumn& column,
                                  const IostatOptions& options);
/// %us, %ni, %sy, %wa, %st, %id of all CPUs, with their names in JSON.
struct CpuShare {
  const char* key;
  Number percent;
};
[[nodiscard]] std::vector<CpuShare> cpu_shares(const Window& window);
[[nodiscard]] std::string percent_text(Number value, const IostatOptions& options);
/// As iostat writes a figure that is not there: what the kernel does not have, and a mean of
/// nothing, as 0; what is not known as "-".
[[nodiscard]] Number zero_where_none(Number value);

}  // namespace tacho::iostat
