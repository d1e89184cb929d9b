// Opens sockets and holds them until standard input ends; "ready" on standard output says that they
// are there. Usage: sockets zoo (one in each state, of each kind) | sockets listen PORT |
// sockets many N (that many connections on loopback addresses)
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Address address(const char* text, int port) {
  Address made;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&made.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&made.storage);
  if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    made.length = sizeof(*v4);
  } else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    made.length = sizeof(*v6);
  }
  return made;
}

int open_socket(const Address& at, int type, int protocol = 0) {
  int fd = socket(at.storage.ss_family, type, protocol);
  if (fd < 0) fail("socket");
  return fd;
}

int listener(const char* text, int port, int backlog) {
  Address at = address(text, port);
  int fd = open_socket(at, SOCK_STREAM);
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, at.get(), at.length) != 0 || listen(fd, backlog) != 0) fail(text);
  return fd;
}

int connected(const char* text, int port) {
  Address to = address(text, port);
  int fd = open_socket(to, SOCK_STREAM);
  if (connect(fd, to.get(), to.length) != 0) fail("connect");
  return fd;
}

/// A datagram or raw socket; what this kernel lacks is left out.
int bound(const char* text, int port, int type, int protocol = 0) {
  Address at = address(text, port);
  int fd = socket(at.storage.ss_family, type, protocol);
  if (fd >= 0 && bind(fd, at.get(), at.length) != 0) fail("bind");
  return fd;
}

int unix_socket(const char* name, int type) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::strncpy(at.sun_path, name, sizeof(at.sun_path) - 1);
  auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(name));
  if (name[0] == '@') at.sun_path[0] = '\0';
  int fd = socket(AF_UNIX, type, 0);
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&at), length) != 0) fail("unix");
  return fd;
}

void send_bytes(int fd, size_t count) {
  std::string bytes(count, 'x');
  if (write(fd, bytes.data(), bytes.size()) < 0) fail("write");
}

void make_streams() {
  int server = listener("127.0.0.1", 8001, 7);
  int reading = connected("127.0.0.1", 8001);
  int writing = accept(server, nullptr, nullptr);
  send_bytes(writing, 1000);  // never read
  int left = connected("127.0.0.1", 8001);
  close(accept(server, nullptr, nullptr));  // CLOSE_WAIT here, FIN_WAIT2 there
  int first = connected("127.0.0.1", 8001);
  int second = accept(server, nullptr, nullptr);
  close(first);
  char byte = 0;
  while (read(second, &byte, 1) > 0) {
  }
  close(second);  // TIME_WAIT
  int alive = connected("127.0.0.1", 8001);
  int on = 1;
  setsockopt(alive, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  if (accept(server, nullptr, nullptr) < 0) fail("accept");
  for (int i = 0; i < 3; ++i)
    connected("127.0.0.1", 8001);  // never accepted
  Address nowhere = address("198.51.100.1", 9);
  int asking = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  (void)connect(asking, nowhere.get(), nowhere.length);  // SYN_SENT where there is a route
  (void)reading;
  (void)left;
}

void make_streams6() {
  listener("::", 8002, 9);
  constexpr const char* kLong = "2001:db8:1234:5678:9abc:def0:1234:5678";
  int server = listener(kLong, 8003, 5);
  connected(kLong, 8003);
  if (accept(server, nullptr, nullptr) < 0) fail("accept");
  int mapped = listener("::", 8004, 5);
  connected("127.0.0.1", 8004);
  if (accept(mapped, nullptr, nullptr) < 0) fail("accept");
}

void make_datagrams() {
  bound("0.0.0.0", 8005, SOCK_DGRAM);
  int sender = bound("127.0.0.1", 8006, SOCK_DGRAM);
  Address to = address("127.0.0.1", 8005);
  if (connect(sender, to.get(), to.length) != 0) fail("connect");
  send_bytes(sender, 100);  // never read
  bound("::", 8007, SOCK_DGRAM);
  bound("::1", 8008, SOCK_DGRAM);
  bound("127.0.0.1", 8009, SOCK_DGRAM, IPPROTO_UDPLITE);
  bound("127.0.0.1", 0, SOCK_RAW, IPPROTO_ICMP);
  bound("::", 0, SOCK_RAW, IPPROTO_ICMPV6);
}

void make_unix() {
  std::string name = "@tacho-test-" + std::to_string(getpid());
  listen(unix_socket((name + "-stream").c_str(), SOCK_STREAM), 5);
  unix_socket((name + "-datagram").c_str(), SOCK_DGRAM);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) fail("socketpair");
}

[[noreturn]] void hold() {
  char byte = 0;
  (void)!read(STDIN_FILENO, &byte, 1);
  _exit(0);
}

/// Two processes with `count` connections between them; the accepting one says so on `done`.
void make_pair(int index, int count, int done) {
  int server = listener("127.0.0.1", 8001 + index, 1024);
  if (fork() == 0) {
    close(server);
    for (int i = 0; i < count; ++i) {
      // A local address has 28,000 ports.
      std::string local =
          "127.0." + std::to_string(1 + index) + "." + std::to_string(1 + i / 20000);
      Address from = address(local.c_str(), 0);
      int fd = open_socket(from, SOCK_STREAM);
      Address to = address("127.0.0.1", 8001 + index);
      if (bind(fd, from.get(), from.length) != 0 || connect(fd, to.get(), to.length) != 0) {
        fail("connection");
      }
    }
    hold();
  }
  if (fork() == 0) {
    for (int i = 0; i < count; ++i) {
      if (accept(server, nullptr, nullptr) < 0) fail("accept");
    }
    (void)!write(done, "x", 1);
    hold();
  }
  close(server);
}

/// As many processes as the limit of open files makes necessary.
void make_many(int count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int most = static_cast<int>(std::min<rlim_t>(limit.rlim_max, 1000000)) - 64;
  int done[2];
  if (pipe(done) != 0) fail("pipe");
  int pairs = 0;
  for (int left = count; left > 0; left -= most)
    make_pair(pairs++, std::min(left, most), done[1]);
  char byte = 0;
  for (; pairs > 0; --pairs) {
    if (read(done[0], &byte, 1) != 1) fail("read");
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string what = argc > 1 ? argv[1] : "";
  if (what == "zoo") {
    make_streams();
    make_streams6();
    make_datagrams();
    make_unix();
  } else if (what == "listen" && argc > 2) {
    listener("127.0.0.1", std::atoi(argv[2]), 3);
  } else if (what == "many" && argc > 2) {
    make_many(std::atoi(argv[2]));
  } else {
    return 2;
  }
  std::puts("ready");
  std::fflush(stdout);
  char byte = 0;
  (void)!read(STDIN_FILENO, &byte, 1);
  return 0;
}
