#include "load.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

namespace tacho::bench {
namespace {

void work() {
  static volatile unsigned sum = 0;
  for (unsigned i = 0; i < 50'000; ++i)
    sum = sum + i;
}

[[noreturn]] void be_idle(int number) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int kind = number % 20;
  timespec pause{kind == 0 ? 0 : 1, kind == 0 ? 100'000'000 : 0};
  while (true) {
    if (kind > 1) {
      ::pause();
    } else {
      work();
      nanosleep(&pause, nullptr);
    }
  }
}

/// Both ends of `count` connections over loopback. Some have bytes waiting, as on a real machine.
bool connect_sockets(int count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, generic, size) != 0 || listen(listener, 128) != 0 ||
      getsockname(listener, generic, &size) != 0) {
    return false;
  }
  for (int i = 0; i < count; ++i) {
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(client, generic, size) != 0) return false;
    int server = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (server < 0 || (i % 10 == 0 && send(client, "waiting", 7, 0) != 7)) return false;
  }
  return true;
}

}  // namespace

bool hold_load(int processes, int connections) {
  for (int i = 0; i < processes; ++i) {
    pid_t pid = fork();
    if (pid == 0) be_idle(i);
    if (pid < 0) return false;
  }
  if (!connect_sockets(connections)) return false;
  std::puts("ready");
  std::fflush(stdout);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR) {
  }
  return true;
}

}  // namespace tacho::bench
