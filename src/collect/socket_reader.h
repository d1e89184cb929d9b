// The tables socket and socket_state.
#pragma once

#include <memory>

#include "collect/reader.h"

namespace tacho {

class SocketScan;
class WatchList;

/// What both readers share: one pass over the sockets serves both. Without `want_sockets` (the
/// table `socket` is not selected) they are only counted.
[[nodiscard]] std::shared_ptr<SocketScan> make_socket_scan(std::shared_ptr<const WatchList> list,
                                                           bool want_sockets);

/// Both are slow: 50,000 sockets take 50 ms.
[[nodiscard]] std::unique_ptr<Reader> make_socket_reader(std::shared_ptr<SocketScan> scan);
[[nodiscard]] std::unique_ptr<Reader> make_socket_state_reader(std::shared_ptr<SocketScan> scan);

}  // namespace tacho
