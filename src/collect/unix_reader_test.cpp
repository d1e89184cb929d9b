#include "collect/unix_reader.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/socket_holders.h"
#include "collect/test_rows.h"
#include "host/test_root.h"
#include "schema/net.h"

namespace tacho {
namespace {

TEST(UnixReader, TheKernelsLines) {
  TestRoot root;
  root.write("proc/net/unix",
             "Num       RefCount Protocol Flags    Type St Inode Path\n"
             "00000000a46272be: 00000002 00000000 00010000 0001 01  1057 /run/a b.sock\n"
             "00000000813b12b3: 00000003 00000000 00000000 0002 03  1056\n"
             "half: 00000003 0000\n");
  auto rows = read_table(root.machine(), TableId::socket_unix);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(cell(*rows, 0, schema::socket_unix["inode"]), "1057");
  EXPECT_EQ(cell(*rows, 0, schema::socket_unix["references"]), "2");
  EXPECT_EQ(cell(*rows, 0, schema::socket_unix["flags"]), "65536");
  EXPECT_EQ(cell(*rows, 0, schema::socket_unix["type"]), "1");
  EXPECT_EQ(cell(*rows, 0, schema::socket_unix["path"]), "/run/a b.sock");
  EXPECT_EQ(cell(*rows, 1, schema::socket_unix["state"]), "3");
  EXPECT_EQ(cell(*rows, 1, schema::socket_unix["path"]), "<not_applicable>");
  EXPECT_EQ(cell(*rows, 1, schema::socket_unix["pid"]), "<not_read>") << "nobody asked for owners";
}

TEST(UnixReader, IsNotRecorded) {
  EXPECT_FALSE(Selection::recorded().has(TableId::socket_unix));
  EXPECT_TRUE(Selection::recorded().has(TableId::socket));
}

TEST(SocketHolders, TellWhoHoldsEverySocket) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  struct stat status {};
  ASSERT_EQ(fstat(fds[0], &status), 0);
  CollectorOptions options;
  options.first_wait_ns = 60 * kSecond;
  options.sockets.owners = SocketOptions::Owners::complete;
  auto sample = Collector(Machine::live(), {TableId::socket_unix}, options).collect();
  const Rows* rows = sample->rows(TableId::socket_unix);
  ASSERT_NE(rows, nullptr);
  std::string pid = "<no such socket>";
  std::string program;
  for (size_t row = 0; row < rows->size(); ++row) {
    if (rows->at(row, schema::socket_unix["inode"]).bits != status.st_ino) continue;
    pid = cell(*rows, row, schema::socket_unix["pid"]);
    program = cell(*rows, row, schema::socket_unix["program"]);
  }
  close(fds[0]);
  close(fds[1]);
  EXPECT_EQ(pid, std::to_string(getpid()));
  EXPECT_EQ(program, "test_collect");
}

TEST(SocketHolders, ProgramsAreNamedAsNetstatDoes) {
  TestRoot root;
  auto write = [&](int pid, std::string_view arguments) {
    root.write(fmt::format("proc/{}/cmdline", pid), std::string(arguments));
    root.write(fmt::format("proc/{}/comm", pid), "comm\n");
  };
  using namespace std::string_view_literals;
  write(1, "/usr/sbin/sshd\0-D\0"sv);
  write(2, "sshd: /usr/sbin/sshd -D [listener]\0"sv);
  write(3, "");
  EXPECT_EQ(program_of(*root.machine(), 1), "sshd");
  EXPECT_EQ(program_of(*root.machine(), 2), "sshd: /usr/sbin/sshd -D [listener]");
  EXPECT_EQ(program_of(*root.machine(), 3), "comm");
  EXPECT_EQ(program_of(*root.machine(), 4), "");
}

}  // namespace
}  // namespace tacho
