// The table route.
#pragma once

#include <memory>
#include <string_view>

#include "collect/reader.h"

namespace tacho {

[[nodiscard]] std::unique_ptr<Reader> make_route_reader();

/// Parsers, apart from where the text comes from: /proc/net/route and /proc/net/ipv6_route.
void parse_routes(std::string_view text, Rows& rows);
void parse_routes6(std::string_view text, Rows& rows);

}  // namespace tacho
