// The table net_counter.
#pragma once

#include <memory>
#include <string_view>

#include "collect/reader.h"

namespace tacho {

[[nodiscard]] std::unique_ptr<Reader> make_counter_reader();

/// Parsers, apart from where the text comes from.
/// Pairs of lines "Tcp: names…" and "Tcp: values…": /proc/net/snmp and netstat.
void parse_headed_counters(std::string_view text, Rows& rows);
/// Lines "Ip6InReceives 1": /proc/net/snmp6. The group is what its name begins with.
void parse_counter_lines(std::string_view text, Rows& rows);

}  // namespace tacho
