#include "render/json.h"

#include <fmt/format.h>

#include <cmath>

#include "base/clock.h"

namespace tacho {

Json to_json(Number value) {
  if (!value.has() || !std::isfinite(value.value)) return nullptr;
  constexpr double kExact = 9007199254740992.0;  // 2^53: every integer up to there is a double
  if (std::trunc(value.value) == value.value && std::fabs(value.value) < kExact) {
    return static_cast<int64_t>(value.value);
  }
  return value.value;
}

Json to_json(const std::vector<Gap>& gaps) {
  Json list = Json::array();
  for (const Gap& gap : gaps) {
    bool known = gap.from_ns != 0 || gap.to_ns != 0;
    list.push_back({{"from", known ? Json(rfc3339(gap.from_ns)) : Json()},
                    {"to", known ? Json(rfc3339(gap.to_ns)) : Json()},
                    {"why", gap.why}});
  }
  return list;
}

std::string to_string(const Json& json, int indent) {
  std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  // JSON lets C1 and DEL stand in strings, but terminals obey them.
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0x7f) {
      out += "\\u007f";
    } else if (byte == 0xc2 && next < 0xa0) {
      out += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace tacho
