// JSON at the edge.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sample/gap.h"
#include "sample/value.h"

namespace tacho {

/// Keeps the order in which members were added: people read it too.
using Json = nlohmann::ordered_json;

/// The figure; an integer where it is one; null where it is absent or not finite.
[[nodiscard]] Json to_json(Number value);
/// A list of {from, to, why}; times are RFC 3339, or null where they are not known.
[[nodiscard]] Json to_json(const std::vector<Gap>& gaps);
/// The text of a document; `indent` < 0 puts it on one line. Strings may hold any bytes: control
/// characters, C1 and DEL included, come out as \\uNNNN, bytes that are not UTF-8 as U+FFFD.
[[nodiscard]] std::string to_string(const Json& json, int indent = -1);

}  // namespace tacho
