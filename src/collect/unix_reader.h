// The table socket_unix.
#pragma once

#include <memory>
#include <string_view>

#include "collect/reader.h"
#include "collect/socket_options.h"

namespace tacho {

class SocketHolders;

/// Owners are looked up only where they are to be complete.
[[nodiscard]] std::unique_ptr<Reader> make_unix_reader(SocketOptions::Owners owners,
                                                       std::shared_ptr<SocketHolders> holders);

/// /proc/net/unix, apart from where it comes from; owners are left out.
void parse_unix_sockets(std::string_view text, Rows& rows);

}  // namespace tacho
