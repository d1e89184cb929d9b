// What is wanted of sockets: a recorder keeps what matters, a command shows them all.
#pragma once

#include <cstdint>

namespace tacho {

struct SocketOptions {
  /// Keep every socket; otherwise no more than kAllSockets, and of more what matters.
  bool all = false;
  /// Ask for struct tcp_info, which takes as long as all the rest.
  bool tcp_info = true;
  enum class Owners : uint8_t {
    bounded,  ///< looked up little by little, see SocketOwners
    none,     ///< not looked up
    complete  ///< all of them, now, see SocketHolders
  } owners = Owners::bounded;
};

}  // namespace tacho
