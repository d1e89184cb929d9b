#include "collect/socket_reader.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "collect/socket_scan.h"
#include "collect/test_rows.h"
#include "collect/tree.h"
#include "host/test_root.h"
#include "schema/net.h"

namespace tacho {
namespace {

constexpr Column kState = schema::socket["state"];

TEST(SocketReader, FromTheTextFilesWhereThereIsNoNetlink) {
  auto rows = read_table(test_machine("node-v2"), TableId::socket);
  ASSERT_EQ(rows->size(), 6U);
  EXPECT_EQ(cell(*rows, 0, kState), "LISTEN");
  EXPECT_EQ(cell(*rows, 0, schema::socket["recv_queue"]), "3");
  EXPECT_EQ(cell(*rows, 0, schema::socket["send_queue"]), "<not_supported>")
      << "/proc/net/tcp does not say the backlog: unknown, not 0";
  EXPECT_EQ(cell(*rows, 1, schema::socket["local_address"]), "10.0.0.10");
  EXPECT_EQ(cell(*rows, 1, schema::socket["recv_queue"]), "127480");
  EXPECT_EQ(cell(*rows, 1, schema::socket["rtt"]), "<not_supported>");
  EXPECT_EQ(cell(*rows, 2, schema::socket["send_queue"]), "90000");
  EXPECT_EQ(cell(*rows, 2, schema::socket["retransmits"]), "2");
  EXPECT_EQ(cell(*rows, 2, schema::socket["timer_left"]), "300");
  EXPECT_EQ(cell(*rows, 3, kState), "TIME_WAIT");
  EXPECT_EQ(cell(*rows, 3, schema::socket["pid"]), "<not_applicable>") << "nobody holds it";
  EXPECT_EQ(cell(*rows, 3, schema::socket["uid"]), "<not_applicable>");
  EXPECT_EQ(cell(*rows, 5, schema::socket["protocol"]), "udp");
  EXPECT_EQ(cell(*rows, 5, kState), "<not_applicable>") << "udp without a peer has no state";
}

TEST(SocketStateReader, CountsByStateAndListeningPort) {
  auto rows = read_table(test_machine("node-v2"), TableId::socket_state);
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ(cell(*rows, 0, schema::socket_state["state"]), "ESTABLISHED");
  EXPECT_EQ(cell(*rows, 0, schema::socket_state["local_port"]), "8080");
  EXPECT_EQ(cell(*rows, 0, schema::socket_state["sockets"]), "2");
  EXPECT_EQ(cell(*rows, 0, schema::socket_state["recv_queue"]), "127480");
  EXPECT_EQ(cell(*rows, 1, schema::socket_state["state"]), "TIME_WAIT");
  EXPECT_EQ(cell(*rows, 1, schema::socket_state["local_port"]), "0") << "not a listening port";
  EXPECT_EQ(cell(*rows, 1, schema::socket_state["sockets"]), "2");
  EXPECT_EQ(cell(*rows, 2, schema::socket_state["state"]), "LISTEN");
}

/// The line of an idle connection from port 1, 2 …
std::string idle_line(int n, int queued) {
  return fmt::format("{}: 0100007F:{:04X} 0100007F:0050 01 00000000:{:08X} 00:0 0 0 0 {}\n", n,
                     n % 60000 + 1, queued, 100000 + n);
}

TEST(SocketReader, BeyondTwoThousandOnlyWhatMatters) {
  TestRoot root;
  std::string text = "header\n0: 0100007F:1F90 00000000:0000 0A 0:0 00:0 0 0 0 5\n";
  for (int i = 0; i < 3000; ++i)
    text += idle_line(i, i % 1000 == 0 ? 77 : 0);
  root.write("proc/net/tcp", text);
  auto rows = read_table(root.machine(), TableId::socket);
  EXPECT_EQ(rows->size(), 4U) << "the listener, and three with a queue";
  auto states = read_table(root.machine(), TableId::socket_state);
  EXPECT_EQ(cell(*states, 0, schema::socket_state["sockets"]), "3000") << "all are counted";
  EXPECT_EQ(cell(*states, 0, schema::socket_state["recv_queue"]), "231");
}

TEST(SocketReader, AllOfThemWhereTheyAreWanted) {
  TestRoot root;
  std::string text = "header\n0: 0100007F:1F90 00000000:0000 0A 0:0 00:0 0 0 0 5\n";
  for (int i = 0; i < 3000; ++i)
    text += idle_line(i, 0);
  text += idle_line(7, 0);  // told twice
  root.write("proc/net/tcp", text);
  root.write("proc/net/raw", "header\n1: 0100007F:0001 00000000:0000 07 0:0 00:0 0 0 0 900001\n");
  root.write("proc/net/udplite6",
             "header\n1: 00000000000000000000000001000000:0001 "
             "00000000000000000000000000000000:0000 07 0:0 00:0 0 0 0 900002\n");
  CollectorOptions options;
  options.sockets = {true, false, SocketOptions::Owners::none};
  auto sample = Collector(root.machine(), {TableId::socket}, options).collect();
  const Rows* rows = sample->rows(TableId::socket);
  ASSERT_NE(rows, nullptr);
  ASSERT_EQ(rows->size(), 3003U);
  EXPECT_EQ(cell(*rows, 1, schema::socket["rtt"]), "<not_read>");
  EXPECT_EQ(cell(*rows, 1, schema::socket["pid"]), "<not_read>");
  EXPECT_EQ(cell(*rows, 3001, schema::socket["protocol"]), "udplite6");
  EXPECT_EQ(cell(*rows, 3001, schema::socket["local_address"]), "::1");
  EXPECT_EQ(cell(*rows, 3002, schema::socket["protocol"]), "raw");
  EXPECT_EQ(cell(*rows, 3002, schema::socket["local_port"]), "1");
}

TEST(SocketReader, TheWatchedTreesSocketsAreKeptAmongManyAndHaveAnOwner) {
  TestRoot root;
  std::string text = "header\n";
  for (int i = 0; i < 3000; ++i)
    text += idle_line(i, 0);
  root.write("proc/net/tcp", text);
  root.link("proc/4242/fd/3", "socket:[101500]");
  root.link("proc/4242/fd/4", "pipe:[7]");
  auto list = std::make_shared<WatchList>();
  list->set_members({4242});
  auto reader = make_socket_reader(make_socket_scan(list, SocketWants{}));
  auto machine = root.machine();
  Buffer buffer;
  Collecting collecting{*machine, buffer, {}, 1, nullptr};
  Rows rows(layout_of(TableId::socket), std::make_shared<TextPool>());
  ASSERT_TRUE(reader->read(collecting, rows));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(cell(rows, 0, schema::socket["inode"]), "101500");
  EXPECT_EQ(cell(rows, 0, schema::socket["pid"]), "4242");
}

/// One socket with as much of struct tcp_info as a kernel of some age gives, filled with its
/// offsets.
void write_socket(const TestRoot& root, size_t info_bytes) {
  std::string bytes(sizeof(nlmsghdr) + sizeof(inet_diag_msg), '\0');
  inet_diag_msg diag{};
  diag.idiag_state = 1;
  std::memcpy(bytes.data() + sizeof(nlmsghdr), &diag, sizeof(diag));
  nlattr attribute{static_cast<uint16_t>(NLA_HDRLEN + info_bytes), INET_DIAG_INFO};
  bytes.append(reinterpret_cast<const char*>(&attribute), sizeof(attribute));
  for (size_t i = 0; i < info_bytes; ++i)
    bytes.push_back(i % 4 == 0 ? static_cast<char>(i) : '\0');
  auto length = static_cast<uint32_t>(bytes.size());
  std::memcpy(bytes.data(), &length, sizeof(length));
  root.write("tacho/inet_diag.tcp", bytes);
}

TEST(SocketReader, AnOlderKernelHasAShorterTcpInfo) {
  TestRoot root;
  write_socket(root, 104);
  auto rows = read_table(root.machine(), TableId::socket);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(cell(*rows, 0, schema::socket["rtt"]), "68");
  EXPECT_EQ(cell(*rows, 0, schema::socket["retransmits_total"]), "100");
  EXPECT_EQ(cell(*rows, 0, schema::socket["bytes_acked"]), "<not_supported>") << "at 120";
  write_socket(root, 232);
  rows = read_table(root.machine(), TableId::socket);
  EXPECT_EQ(cell(*rows, 0, schema::socket["bytes_acked"]), std::to_string(120 + (124ULL << 32)));
}

TEST(SocketReader, WithoutAnySourceTheTableIsAbsent) {
  TestRoot root;
  EXPECT_EQ(read_table(root.machine(), TableId::socket)->absent, Absent::not_supported);
  EXPECT_EQ(read_table(root.machine(), TableId::socket_state)->absent, Absent::not_supported);
}

/// A connection over the loopback whose receiving end never reads.
struct Connection {
  Fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  Fd client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  Fd server;
  uint16_t port = 0;

  Connection() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener.get(), raw, size) < 0 || listen(listener.get(), 7) < 0 ||
        getsockname(listener.get(), raw, &size) < 0) {
      return;
    }
    port = ntohs(address.sin_port);
    (void)connect(client.get(), raw, size);
    server = Fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
};

TEST(SocketReader, APeerThatDoesNotReadFillsItsReceiveQueue) {
  Connection connection;
  ASSERT_TRUE(connection.server) << "no loopback here";
  std::string sent(5000, 'x');
  ASSERT_EQ(send(connection.client.get(), sent.data(), sent.size(), 0), 5000);
  auto rows = read_table(Machine::live(), TableId::socket);
  size_t listeners = 0;
  size_t servers = 0;
  size_t clients = 0;
  for (size_t row = 0; row < rows->size(); ++row) {
    bool local = rows->at(row, schema::socket["local_port"]).bits == connection.port;
    bool remote = rows->at(row, schema::socket["remote_port"]).bits == connection.port;
    if (!local && !remote) continue;
    EXPECT_EQ(cell(*rows, row, schema::socket["pid"]), std::to_string(getpid()));
    EXPECT_EQ(cell(*rows, row, schema::socket["local_address"]), "127.0.0.1");
    if (rows->text(row, kState) == "LISTEN") {
      ++listeners;
      EXPECT_EQ(cell(*rows, row, schema::socket["send_queue"]), "7") << "the backlog";
      EXPECT_EQ(cell(*rows, row, schema::socket["recv_queue"]), "0");
    } else if (local) {
      ++servers;
      EXPECT_EQ(cell(*rows, row, schema::socket["recv_queue"]), "5000");
      EXPECT_EQ(cell(*rows, row, schema::socket["bytes_received"]), "5000");
    } else {
      ++clients;
      EXPECT_EQ(cell(*rows, row, schema::socket["bytes_sent"]), "5000");
    }
  }
  EXPECT_EQ(listeners, 1U);
  EXPECT_EQ(servers, 1U);
  EXPECT_EQ(clients, 1U);
}

}  // namespace
}  // namespace tacho
