#include "host/sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

#include "host/test_root.h"

namespace tacho {
namespace {

TEST(SocketLine, AnEstablishedConnectionWithQueuesAndATimer) {
  auto socket = parse_socket_line(
      SocketProtocol::tcp,
      "   1: 0100007F:1F90 0200A8C0:C001 01 0000000A:000000FF 01:00000014 00000003  1000        0 "
      "4242 2 0000000000000000 20 4 30 10 -1");
  ASSERT_TRUE(socket);
  EXPECT_EQ(address_text(socket->protocol, socket->local_address), "127.0.0.1");
  EXPECT_EQ(socket->local_port, 8080U);
  EXPECT_EQ(address_text(socket->protocol, socket->remote_address), "192.168.0.2");
  EXPECT_EQ(socket->remote_port, 49153U);
  EXPECT_EQ(name(socket->state), "ESTABLISHED");
  EXPECT_EQ(socket->send_queue, 10U);
  EXPECT_EQ(socket->recv_queue, 255U);
  EXPECT_EQ(socket->timer, 1U);
  EXPECT_EQ(socket->timer_left_ms, 200U) << "20 ticks of 10 ms";
  EXPECT_EQ(socket->retransmits, 3U);
  EXPECT_EQ(socket->uid, 1000U);
  EXPECT_EQ(socket->inode, 4242U);
}

TEST(SocketLine, AListenerOfIpv6HasNoBacklogHere) {
  auto socket = parse_socket_line(
      SocketProtocol::tcp6,
      "   0: 00000000000000000000000001000000:0016 00000000000000000000000000000000:0000 0A "
      "00000000:00000002 00:00000000 00000000     0        0 77 1 0000000000000000 100 0 0 10 0");
  ASSERT_TRUE(socket);
  EXPECT_EQ(address_text(socket->protocol, socket->local_address), "::1");
  EXPECT_EQ(name(socket->state), "LISTEN");
  EXPECT_EQ(socket->recv_queue, 2U) << "connections to accept";
  EXPECT_FALSE(socket->has_backlog);
}

TEST(SocketLine, WhatIsNoneIsNothing) {
  auto parse = [](const char* line) { return parse_socket_line(SocketProtocol::tcp, line); };
  EXPECT_FALSE(parse(""));
  EXPECT_FALSE(parse("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when"));
  EXPECT_FALSE(parse("1: 0100007F:1F90 0200A8C0:C001 63 0:0 0:0 0 0 0 1")) << "no such state";
  EXPECT_FALSE(parse("1: 0100007F:1F90 0200A8C0:C001 01 0:0 0:0 0 0")) << "cut off";
  EXPECT_FALSE(parse("1: 0100007G:1F90 0200A8C0:C001 01 0:0 0:0 0 0 0 1"));
}

/// A message as the kernel sends it.
std::string diag_message(uint8_t state, uint16_t port, const std::string& tcp_info) {
  struct {
    nlmsghdr header;
    inet_diag_msg diag;
  } head{};
  head.diag.idiag_family = AF_INET;
  head.diag.idiag_state = state;
  head.diag.id.idiag_sport = htons(port);
  head.diag.id.idiag_dport = htons(443);
  head.diag.id.idiag_src[0] = htonl(0x0a000001);
  head.diag.idiag_rqueue = 17;
  head.diag.idiag_wqueue = 34;
  head.diag.idiag_inode = 99;
  head.diag.idiag_expires = static_cast<uint32_t>(-5);
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof(head));
  if (!tcp_info.empty()) {
    nlattr attribute{static_cast<uint16_t>(NLA_HDRLEN + tcp_info.size()), INET_DIAG_INFO};
    bytes.append(reinterpret_cast<const char*>(&attribute), sizeof(attribute));
    bytes.append(tcp_info);
    bytes.resize(NLMSG_ALIGN(bytes.size()));
  }
  auto length = static_cast<uint32_t>(bytes.size());
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes;
}

TEST(InetDiag, AMessageWithTcpInfo) {
  auto message = diag_message(1, 5000, std::string(104, '\x07'));
  auto socket = parse_inet_diag(SocketProtocol::tcp, message);
  ASSERT_TRUE(socket);
  EXPECT_EQ(address_text(socket->protocol, socket->local_address), "10.0.0.1");
  EXPECT_EQ(socket->local_port, 5000U);
  EXPECT_EQ(socket->recv_queue, 17U);
  EXPECT_EQ(socket->send_queue, 34U);
  EXPECT_EQ(socket->inode, 99U);
  EXPECT_EQ(socket->timer_left_ms, 0U) << "a timer that is overdue";
  EXPECT_EQ(socket->tcp_info.size(), 104U);
}

TEST(InetDiag, CutOffAnywhereItNeverReadsBeyond) {
  std::string message = diag_message(1, 5000, std::string(104, '\x07'));
  for (size_t length = 0; length < message.size(); ++length) {
    std::string cut(message, 0, length);  // its own allocation: the sanitizer sees a step too far
    auto socket = parse_inet_diag(SocketProtocol::tcp, cut);
    if (socket) {
      EXPECT_LE(socket->tcp_info.size(), length);
    }
  }
}

TEST(Sockets, ARootedMachineAnswersFromItsCapturedMessages) {
  TestRoot root;
  root.write("tacho/inet_diag.tcp", diag_message(10, 22, "") + diag_message(1, 22, "abcd") +
                                        diag_message(6, 23, "") + std::string(7, '\xff'));
  std::vector<std::string> seen;
  auto visit = [&](const SocketInfo& socket) {
    seen.push_back(fmt::format("{} {}", name(socket.state), socket.local_port));
  };
  ASSERT_TRUE(visit_sockets(*root.machine(), SocketProtocol::tcp, kAnyState, visit));
  EXPECT_EQ(seen, (std::vector<std::string>{"LISTEN 22", "ESTABLISHED 22", "TIME_WAIT 23"}));
  seen.clear();
  ASSERT_TRUE(
      visit_sockets(*root.machine(), SocketProtocol::tcp, only(SocketState::listen), visit));
  EXPECT_EQ(seen, std::vector<std::string>{"LISTEN 22"});
  EXPECT_FALSE(visit_sockets(*root.machine(), SocketProtocol::udp, kAnyState, visit));
}

/// A listener on a free port of the loopback address; its port, or 0 where that is not possible.
uint16_t listen_on(int family, Fd& fd) {
  fd = Fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address =
      family == AF_INET ? reinterpret_cast<sockaddr*>(&v4) : reinterpret_cast<sockaddr*>(&v6);
  socklen_t size = family == AF_INET ? sizeof v4 : sizeof v6;
  if (!fd || bind(fd.get(), address, size) != 0 || listen(fd.get(), 1) != 0 ||
      getsockname(fd.get(), address, &size) != 0) {
    return 0;
  }
  return ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
}

TEST(Sockets, OnePassShowsTcpOfBothFamiliesAndTheListenersFirst) {
  Fd first;
  Fd second;
  uint16_t port = listen_on(AF_INET, first);
  uint16_t port6 = listen_on(AF_INET6, second);
  ASSERT_NE(port, 0);
  Fd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  ASSERT_EQ(connect(client.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  bool listens = false;
  bool listens6 = false;
  bool connected = false;
  bool other_before = false;
  auto visited = visit_tcp_sockets(*Machine::live(), [&](const SocketInfo& socket) {
    bool listener = socket.state == SocketState::listen;
    EXPECT_FALSE(listener && other_before) << "a listener after others";
    other_before = other_before || !listener;
    bool v6 = socket.protocol == SocketProtocol::tcp6;
    listens = listens || (listener && !v6 && socket.local_port == port);
    listens6 = listens6 || (listener && v6 && socket.local_port == port6);
    connected =
        connected || (socket.state == SocketState::established && socket.remote_port == port);
  });
  ASSERT_TRUE(visited);
  EXPECT_TRUE(listens);
  EXPECT_TRUE(connected);
  EXPECT_EQ(listens6, port6 != 0) << "where there is no IPv6 there is nothing to see";
}

}  // namespace
}  // namespace tacho
