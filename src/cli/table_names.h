// Tables as the user names them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "schema/catalog.h"

namespace tacho::cli {

/// The tables of those names, in the order given; all of them where there are no names. An error
/// names the first that does not exist, and the one that was probably meant.
[[nodiscard]] Result<std::vector<TableId>> named_tables(const std::vector<std::string>& names);

}  // namespace tacho::cli
