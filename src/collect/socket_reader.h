// The tables socket and socket_state.
#pragma once

#include <memory>

#include "collect/reader.h"

namespace tacho {

class SocketScan;
struct SocketWants;
class WatchList;

/// What both readers share: one pass over the sockets serves both.
[[nodiscard]] std::shared_ptr<SocketScan> make_socket_scan(std::shared_ptr<const WatchList> list,
                                                           const SocketWants& wants);

/// Both are slow: 50,000 sockets take 50 ms.
[[nodiscard]] std::unique_ptr<Reader> make_socket_reader(std::shared_ptr<SocketScan> scan);
[[nodiscard]] std::unique_ptr<Reader> make_socket_state_reader(std::shared_ptr<SocketScan> scan);

}  // namespace tacho
