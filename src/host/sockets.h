// The sockets of the machine: by inet_diag where the kernel has it, else from /proc/net.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "host/machine.h"

namespace tacho {

/// In the order in which netstat shows them.
enum class SocketProtocol : uint8_t { tcp, tcp6, udp, udp6, udplite, udplite6, raw, raw6 };
inline constexpr std::array kSocketProtocols{
    SocketProtocol::tcp,     SocketProtocol::tcp6,     SocketProtocol::udp, SocketProtocol::udp6,
    SocketProtocol::udplite, SocketProtocol::udplite6, SocketProtocol::raw, SocketProtocol::raw6};
/// "tcp", "udp6" …: also the names of the files in /proc/net.
[[nodiscard]] std::string_view name(SocketProtocol protocol);

[[nodiscard]] constexpr bool is_tcp(SocketProtocol protocol) {
  return protocol == SocketProtocol::tcp || protocol == SocketProtocol::tcp6;
}
[[nodiscard]] constexpr bool is_v6(SocketProtocol protocol) {
  return protocol == SocketProtocol::tcp6 || protocol == SocketProtocol::udp6 ||
         protocol == SocketProtocol::udplite6 || protocol == SocketProtocol::raw6;
}
/// Whether inet_diag is asked for it. There are few of the others, and the text files have them.
[[nodiscard]] constexpr bool has_inet_diag(SocketProtocol protocol) {
  return protocol <= SocketProtocol::udp6;
}

/// Numbers of the kernel (include/net/tcp_states.h).
enum class SocketState : uint8_t {
  established = 1,
  syn_sent,
  syn_recv,
  fin_wait1,
  fin_wait2,
  time_wait,
  close,
  close_wait,
  last_ack,
  listen,
  closing,
  new_syn_recv,
};
/// As netstat shows it: "ESTABLISHED", "LISTEN" …; empty for a number that is none.
[[nodiscard]] std::string_view name(SocketState state);

struct SocketInfo {
  SocketProtocol protocol = SocketProtocol::tcp;
  SocketState state = SocketState::close;
  std::array<unsigned char, 16> local_address{};  ///< network order; the first 4 bytes of IPv4
  std::array<unsigned char, 16> remote_address{};
  uint16_t local_port = 0;
  uint16_t remote_port = 0;
  uint64_t inode = 0;
  uint64_t uid = 0;
  uint64_t recv_queue = 0;  ///< bytes; of a listener, connections that wait to be accepted
  uint64_t send_queue = 0;  ///< bytes; of a listener its backlog, but not from /proc/net
  bool has_backlog = true;  ///< false: send_queue of a listener is not known
  uint8_t timer = 0;
  uint64_t timer_left_ms = 0;
  uint8_t retransmits = 0;
  std::string_view tcp_info;  ///< struct tcp_info as far as this kernel fills it; empty for none
};

/// The textual address: "127.0.0.1", "::1".
[[nodiscard]] std::string address_text(SocketProtocol protocol,
                                       const std::array<unsigned char, 16>& address);

using SocketVisitor = std::function<void(const SocketInfo& socket)>;

/// Whether struct tcp_info is wanted: it takes the kernel as long as all the rest.
enum class TcpInfo { wanted, unwanted };

/// A set of states, bit n for number n.
using SocketStates = uint32_t;
/// All of SocketState. What is bound, but neither listens nor connects, has a bit of its own from
/// Linux 6.8 on; earlier it was not shown, and in /proc/net it still is not.
inline constexpr SocketStates kAnyState = 0x1fff;
[[nodiscard]] constexpr SocketStates only(SocketState state) {
  return 1U << static_cast<unsigned>(state);
}

/// Shows every socket of the own network namespace in `states`, one after the other, as the kernel
/// lists them: what is shown is valid during the call only. Falls back to /proc/net where the
/// kernel lacks inet_diag for the protocol. With 50,000 sockets this takes 50 ms.
[[nodiscard]] Result<void> visit_sockets(const Machine& machine, SocketProtocol protocol,
                                         SocketStates states, const SocketVisitor& visit,
                                         TcpInfo tcp_info = TcpInfo::wanted);

/// The same of TCP over IPv4 and IPv6, in one pass over the kernel's table instead of four: all
/// listeners come first. Fails where not even those of IPv4 can be had.
[[nodiscard]] Result<void> visit_tcp_sockets(const Machine& machine, const SocketVisitor& visit,
                                             TcpInfo tcp_info = TcpInfo::wanted);

/// The same from text: `folder` is proc/net, or proc/PID/net of another network namespace.
[[nodiscard]] Result<void> visit_socket_file(const Machine& machine, const std::string& folder,
                                             SocketProtocol protocol, SocketStates states,
                                             const SocketVisitor& visit);

/// The raw messages of an inet_diag dump, for `tacho capture`.
[[nodiscard]] Result<std::string> inet_diag_dump(SocketProtocol protocol);

/// Parsers, apart from where the bytes come from. Nothing for what is no such thing.
/// `message`: one netlink message, header included (struct inet_diag_msg and its attributes).
[[nodiscard]] std::optional<SocketInfo> parse_inet_diag(SocketProtocol protocol,
                                                        std::string_view message);
/// `line`: one of the protocol's file in /proc/net (net/ipv4/tcp_ipv4.c, get_tcp4_sock).
[[nodiscard]] std::optional<SocketInfo> parse_socket_line(SocketProtocol protocol,
                                                          std::string_view line);

}  // namespace tacho
