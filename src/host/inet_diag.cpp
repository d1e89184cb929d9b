// Sockets over NETLINK_SOCK_DIAG: sock_diag(7), include/uapi/linux/inet_diag.h.
#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "host/netlink.h"
#include "host/sockets.h"

namespace tacho {
namespace {

using TakeMessage = std::function<void(std::string_view message)>;

uint8_t extensions(TcpInfo tcp_info) {
  return tcp_info == TcpInfo::wanted ? 1U << (INET_DIAG_INFO - 1) : 0U;
}

/// TCP over IPv4 and IPv6 by one request of the interface before SOCK_DIAG_BY_FAMILY, which asks
/// for no family (net/ipv4/inet_diag.c, inet_diag_dump_compat). What a dump costs where there are
/// few sockets is the walk over the kernel's hash table: 5 ms on a machine with 262,144 buckets.
Result<void> dump_both(TcpInfo tcp_info, const TakeMessage& take) {
  auto socket = NetlinkSocket::open(NETLINK_SOCK_DIAG);
  if (!socket) return tl::unexpected(socket.error());
  alignas(nlmsghdr) std::array<char, 256> space{};
  nlmsghdr* request = mnl_nlmsg_put_header(space.data());
  request->nlmsg_type = TCPDIAG_GETSOCK;
  request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  auto* body =
      static_cast<inet_diag_req*>(mnl_nlmsg_put_extra_header(request, sizeof(inet_diag_req)));
  body->idiag_family = AF_INET;
  body->idiag_states = kAnyState;
  body->idiag_ext = extensions(tcp_info);
  return socket->ask(request, take);
}

Result<void> dump(SocketProtocol protocol, SocketStates states, TcpInfo tcp_info,
                  const TakeMessage& take) {
  auto socket = NetlinkSocket::open(NETLINK_SOCK_DIAG);
  if (!socket) return tl::unexpected(socket.error());
  alignas(nlmsghdr) std::array<char, 256> space{};
  nlmsghdr* request = mnl_nlmsg_put_header(space.data());
  request->nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  auto* body =
      static_cast<inet_diag_req_v2*>(mnl_nlmsg_put_extra_header(request, sizeof(inet_diag_req_v2)));
  body->sdiag_family = is_v6(protocol) ? AF_INET6 : AF_INET;
  body->sdiag_protocol = is_tcp(protocol) ? IPPROTO_TCP : IPPROTO_UDP;
  body->idiag_states = states;
  if (is_tcp(protocol)) body->idiag_ext = extensions(tcp_info);
  auto asked = socket->ask(request, take);
  // ENOENT: the module tcp_diag or udp_diag is not there.
  if (!asked && asked.error().code == Errc::not_found) {
    return fail(Errc::not_supported, "inet_diag: the kernel has none for {}", name(protocol));
  }
  return asked;
}

/// Messages that `tacho capture` wrote one after the other.
Result<void> replay(const Machine& machine, SocketProtocol protocol, const TakeMessage& take) {
  Buffer buffer;
  auto bytes = machine.read(fmt::format("tacho/inet_diag.{}", name(protocol)).c_str(), buffer);
  if (!bytes) return tl::unexpected(bytes.error());
  std::string_view rest = *bytes;
  while (rest.size() >= sizeof(nlmsghdr)) {
    uint32_t length = 0;
    std::memcpy(&length, rest.data(), sizeof(length));
    if (length < sizeof(nlmsghdr) || length > rest.size()) break;  // cut off or damaged
    take(rest.substr(0, length));
    rest.remove_prefix(std::min<size_t>(rest.size(), NLMSG_ALIGN(length)));
  }
  return {};
}

std::optional<SocketProtocol> tcp_of(std::string_view message) {
  inet_diag_msg diag{};
  if (message.size() < NLMSG_HDRLEN + sizeof(diag)) return std::nullopt;
  std::memcpy(&diag, message.data() + NLMSG_HDRLEN, sizeof(diag));
  if (diag.idiag_family == AF_INET) return SocketProtocol::tcp;
  if (diag.idiag_family == AF_INET6) return SocketProtocol::tcp6;
  return std::nullopt;
}

}  // namespace

std::optional<SocketInfo> parse_inet_diag(SocketProtocol protocol, std::string_view message) {
  if (message.size() < NLMSG_HDRLEN + sizeof(inet_diag_msg)) return std::nullopt;
  inet_diag_msg diag{};
  std::memcpy(&diag, message.data() + NLMSG_HDRLEN, sizeof(diag));
  SocketInfo socket;
  socket.protocol = protocol;
  socket.state = static_cast<SocketState>(diag.idiag_state);
  if (name(socket.state).empty()) return std::nullopt;
  std::memcpy(socket.local_address.data(), diag.id.idiag_src, sizeof(diag.id.idiag_src));
  std::memcpy(socket.remote_address.data(), diag.id.idiag_dst, sizeof(diag.id.idiag_dst));
  socket.local_port = ntohs(diag.id.idiag_sport);
  socket.remote_port = ntohs(diag.id.idiag_dport);
  socket.inode = diag.idiag_inode;
  socket.uid = diag.idiag_uid;
  socket.recv_queue = diag.idiag_rqueue;
  socket.send_queue = diag.idiag_wqueue;
  socket.timer = diag.idiag_timer;
  // A timer that should have fired already gives a negative number in older kernels.
  socket.timer_left_ms = diag.idiag_expires > INT32_MAX ? 0 : diag.idiag_expires;
  socket.retransmits = diag.idiag_retrans;
  std::string_view rest = message.substr(NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(diag)));
  while (rest.size() >= sizeof(nlattr)) {
    nlattr attribute{};
    std::memcpy(&attribute, rest.data(), sizeof(attribute));
    if (attribute.nla_len < NLA_HDRLEN || attribute.nla_len > rest.size()) break;
    if (attribute.nla_type == INET_DIAG_INFO) {
      socket.tcp_info = rest.substr(NLA_HDRLEN, attribute.nla_len - size_t{NLA_HDRLEN});
    }
    rest.remove_prefix(std::min<size_t>(rest.size(), NLA_ALIGN(attribute.nla_len)));
  }
  return socket;
}

Result<std::string> inet_diag_dump(SocketProtocol protocol) {
  std::string bytes;
  auto asked = dump(protocol, kAnyState, TcpInfo::wanted, [&](std::string_view message) {
    bytes.append(message);
    bytes.resize(NLMSG_ALIGN(bytes.size()));
  });
  if (!asked) return tl::unexpected(asked.error());
  return bytes;
}

Result<void> visit_sockets(const Machine& machine, SocketProtocol protocol, SocketStates states,
                           const SocketVisitor& visit, TcpInfo tcp_info) {
  if (!has_inet_diag(protocol)) {
    return visit_socket_file(machine, "proc/net", protocol, states, visit);
  }
  size_t seen = 0;
  auto take = [&](std::string_view message) {
    auto socket = parse_inet_diag(protocol, message);
    if (!socket || (states & only(socket->state)) == 0) return;
    ++seen;
    visit(*socket);
  };
  auto asked =
      machine.is_live() ? dump(protocol, states, tcp_info, take) : replay(machine, protocol, take);
  // An answer that broke off may not be told twice.
  if (asked || seen > 0) return asked;
  return visit_socket_file(machine, "proc/net", protocol, states, visit);
}

Result<void> visit_tcp_sockets(const Machine& machine, const SocketVisitor& visit,
                               TcpInfo tcp_info) {
  if (machine.is_live()) {
    size_t seen = 0;
    auto asked = dump_both(tcp_info, [&](std::string_view message) {
      auto protocol = tcp_of(message);
      auto socket = protocol ? parse_inet_diag(*protocol, message) : std::nullopt;
      if (!socket) return;
      ++seen;
      visit(*socket);
    });
    if (asked || seen > 0) return asked;
  }
  constexpr SocketStates kListening = only(SocketState::listen);
  for (SocketStates states : {kListening, kAnyState & ~kListening}) {
    for (SocketProtocol protocol : {SocketProtocol::tcp, SocketProtocol::tcp6}) {
      auto visited = visit_sockets(machine, protocol, states, visit, tcp_info);
      // Without IPv6 there is no tcp6, and nothing is missing.
      if (!visited && protocol == SocketProtocol::tcp) return visited;
    }
  }
  return {};
}

}  // namespace tacho
