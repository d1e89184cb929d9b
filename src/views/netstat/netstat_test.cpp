#include "views/netstat/netstat.h"

#include <gtest/gtest.h>
#include <net/if.h>

#include "schema/net.h"
#include "views/netstat/test_sockets.h"

namespace tacho {
namespace {

NetstatOptions everything() {
  NetstatOptions options;
  options.all = options.tcp = options.udp = options.udplite = options.raw = options.unix = true;
  options.inet = options.inet6 = true;
  return options;
}

std::string text(const Rows& rows, const NetstatOptions& options, const NetstatNames& names = {}) {
  std::string out;
  netstat_sockets(rows, options, names, [&](std::string_view piece) { out += piece; });
  return out;
}

TEST(Netstat, TheOriginalsLines) {
  TestSockets sockets;
  sockets.add("udp", "0.0.0.0", 53, "0.0.0.0", 0, "");
  sockets.add("tcp", "127.0.0.1", 80, "127.0.0.1", 40000, "ESTABLISHED").queues(10, 1234567);
  sockets.add("tcp6", "::", 22, "::", 0, "LISTEN").queues(0, 128);
  sockets.add("tcp", "0.0.0.0", 22, "0.0.0.0", 0, "LISTEN").queues(2, 128);
  sockets.add("raw6", "::", 58, "::", 0, "");
  sockets.add("udplite6", "::1", 5, "::1", 6, "ESTABLISHED");
  EXPECT_EQ(text(sockets.rows(), everything()),
            "Active Internet connections (servers and established)\n"
            "Proto Recv-Q  Send-Q Local Address           Foreign Address         State      \n"
            "tcp        2     128 0.0.0.0:22              0.0.0.0:*               LISTEN     \n"
            "tcp       10 1234567 127.0.0.1:80            127.0.0.1:40000         ESTABLISHED\n"
            "tcp6       0     128 :::22                   :::*                    LISTEN     \n"
            "udp        0       0 0.0.0.0:53              0.0.0.0:*                          \n"
            "udpl6      0       0 ::1:5                   ::1:6                   ESTABLISHED\n"
            "raw6       0       0 :::58                   :::*                    7          \n");
}

TEST(Netstat, AddressesAreNeverCutAndOneSocketIsOneLine) {
  TestSockets sockets;
  sockets.add("tcp6", "2001:db8:1234:5678:9abc:def0:1234:5678", 38123,
              "2001:db8:1234:5678:9abc:def0:1234:5679", 443, "ESTABLISHED");
  sockets.add("tcp6", "::ffff:10.0.0.1", 80, "::ffff:10.0.0.2", 5000, "CLOSE_WAIT");
  std::string out = text(sockets.rows(), everything());
  EXPECT_EQ(out,
            "Active Internet connections (servers and established)\n"
            "Proto Recv-Q Send-Q Local Address                                "
            "Foreign Address                            State      \n"
            "tcp6       0      0 2001:db8:1234:5678:9abc:def0:1234:5678:38123 "
            "2001:db8:1234:5678:9abc:def0:1234:5679:443 ESTABLISHED\n"
            "tcp6       0      0 10.0.0.1:80                                  "
            "10.0.0.2:5000                              CLOSE_WAIT \n");
}

TEST(Netstat, OwnersUsersAndTimers) {
  TestSockets sockets;
  sockets.add("tcp", "10.0.0.1", 1, "10.0.0.2", 2, "ESTABLISHED")
      .owner(77, 1234567, "a-program-of-a-long-name")
      .timer(1, 1234, 3);
  sockets.add("tcp", "10.0.0.1", 3, "10.0.0.2", 4, "TIME_WAIT").timer(3, 59000, 0).nobody();
  sockets.add("tcp", "10.0.0.1", 5, "10.0.0.2", 6, "ESTABLISHED")
      .owner(0, 12, "x")
      .timer(4, 200, 2);
  NetstatOptions options = everything();
  options.extended = 1;
  options.programs = options.timers = true;
  NetstatNames names;
  names.user = [](uint64_t uid) { return uid == 0 ? std::string("root") : std::string(); };
  std::string out = text(sockets.rows(), options, names);
  EXPECT_NE(out.find("State       User       Inode      PID/Program name                 Timer\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("ESTABLISHED 77         1          1234567/a-program-of-a-long-name "
                     "on (1.23/3/0)\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("TIME_WAIT   -          2          -                                "
                     "timewait (59.00/0/0)\n"),
            std::string::npos)
      << "it has no user any more: unknown, not root\n"
      << out;
  EXPECT_NE(out.find("ESTABLISHED root       3          12/x                             "
                     "probe (0.20/0/2)\n"),
            std::string::npos)
      << out;
}

TEST(Netstat, WhatComesFromOutsideIsEscaped) {
  TestSockets sockets;
  sockets.add("tcp", "10.0.0.1", 1, "10.0.0.2", 2, "ESTABLISHED").owner(0, 9, "evil\x1b]0;x\a\n");
  NetstatOptions options = everything();
  options.programs = true;
  NetstatNames names;
  names.host = [](std::string_view, bool) { return std::string("host\x1b[2J"); };
  std::string out = text(sockets.rows(), options, names);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
  EXPECT_NE(out.find("9/evil\\e]0;x\\x07\\n"), std::string::npos) << out;
  std::string json = to_string(netstat_sockets_json(sockets.rows(), options));
  EXPECT_EQ(json.find('\x1b'), std::string::npos);
}

TEST(Netstat, WhichSocketsAreShown) {
  TestSockets sockets;
  sockets.add("tcp", "0.0.0.0", 22, "0.0.0.0", 0, "LISTEN");
  sockets.add("tcp", "10.0.0.1", 1, "10.0.0.2", 2, "ESTABLISHED");
  sockets.add("udp6", "::", 53, "::", 0, "");
  sockets.add("udp6", "::1", 54, "::1", 55, "ESTABLISHED");
  auto shown = [&](NetstatOptions options) {
    return netstat_sockets_json(sockets.rows(), options).size();
  };
  NetstatOptions options = everything();
  EXPECT_EQ(shown(options), 4U);
  options.all = false;
  EXPECT_EQ(shown(options), 2U) << "connected ones";
  options.listening = true;
  EXPECT_EQ(shown(options), 2U) << "servers";
  options.inet6 = false;
  EXPECT_EQ(shown(options), 1U);
  options.tcp = false;
  EXPECT_EQ(shown(options), 0U);
}

TEST(Netstat, AnUnknownBacklogIsNotZero) {
  TestSockets sockets;
  sockets.add("tcp", "0.0.0.0", 22, "0.0.0.0", 0, "LISTEN");
  sockets.rows().set_absent(0, schema::socket["send_queue"], Absent::not_supported);
  EXPECT_NE(text(sockets.rows(), everything()).find("tcp        0      - 0.0.0.0:22"),
            std::string::npos);
  EXPECT_EQ(netstat_sockets_json(sockets.rows(), everything())[0]["send_queue"], nullptr);
}

TEST(NetstatUnix, TheOriginalsLinesButForTheWholePath) {
  auto rows = std::make_shared<Rows>(layout_of(TableId::socket_unix), std::make_shared<TextPool>());
  auto add = [&](uint64_t type, uint64_t state, uint64_t flags, std::string_view path) {
    size_t row = rows->append();
    rows->set(row, schema::socket_unix["inode"], 1000 + row);
    rows->set(row, schema::socket_unix["references"], 2);
    rows->set(row, schema::socket_unix["flags"], flags);
    rows->set(row, schema::socket_unix["type"], type);
    rows->set(row, schema::socket_unix["state"], state);
    if (!path.empty()) rows->set_text(row, schema::socket_unix["path"], path);
  };
  add(1, 1, 0x10000, "/run/a b.sock");
  add(2, 1, 0, "");
  add(5, 3, 0, "@x\x1b");
  NetstatOptions options = everything();
  EXPECT_EQ(netstat_unix(*rows, options),
            "Active UNIX domain sockets (servers and established)\n"
            "Proto RefCnt Flags       Type       State         I-Node   Path\n"
            "unix  2      [ ACC ]     STREAM     LISTENING     1000     /run/a b.sock\n"
            "unix  2      [ ]         DGRAM                    1001     \n"
            "unix  2      [ ]         SEQPACKET  CONNECTED     1002     @x\\e\n");
  options.all = false;
  options.listening = true;
  options.programs = true;
  EXPECT_EQ(netstat_unix(*rows, options),
            "Active UNIX domain sockets (only servers)\n"
            "Proto RefCnt Flags       Type       State         I-Node   PID/Program name     Path\n"
            "unix  2      [ ACC ]     STREAM     LISTENING     1000     -                    "
            "/run/a b.sock\n");
}

TEST(NetstatStates, CountsAsPeopleDo) {
  auto rows =
      std::make_shared<Rows>(layout_of(TableId::socket_state), std::make_shared<TextPool>());
  auto add = [&](const char* protocol, const char* state, uint64_t port, uint64_t count) {
    size_t row = rows->append();
    rows->set_text(row, schema::socket_state["protocol"], protocol);
    rows->set_text(row, schema::socket_state["state"], state);
    rows->set(row, schema::socket_state["local_port"], port);
    rows->set(row, schema::socket_state["sockets"], count);
    rows->set(row, schema::socket_state["recv_queue"], count * 10);
    rows->set(row, schema::socket_state["send_queue"], 0);
  };
  add("tcp", "ESTABLISHED", 80, 3);
  add("tcp", "ESTABLISHED", 0, 4);
  add("tcp6", "ESTABLISHED", 0, 5);
  add("tcp", "LISTEN", 80, 1);
  EXPECT_EQ(netstat_states(*rows, everything()),
            "State        Sockets   Recv-Q   Send-Q\n"
            "ESTABLISHED       12      120        0\n"
            "LISTEN             1       10        0\n");
  NetstatOptions options = everything();
  options.inet = false;
  EXPECT_EQ(netstat_states_json(*rows, options)[0]["sockets"], 5);
}

}  // namespace
}  // namespace tacho
