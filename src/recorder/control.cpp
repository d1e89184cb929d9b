#include "recorder/control.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/clock.h"

namespace tacho {
namespace {

constexpr size_t kMostClients = 16;
constexpr size_t kLongestRequest = 64 * 1024;
constexpr size_t kLongestAnswer = 1024 * 1024;
constexpr int64_t kClientTime = 5 * kSecond;

/// A socket's path may have 107 bytes. A longer one is reached through the folder's descriptor.
struct Address {
  sockaddr_un name{};
  Fd folder;
};

Result<Address> address_in(const std::string& folder) {
  Address address;
  address.name.sun_family = AF_UNIX;
  std::string path = folder + "/control";
  if (path.size() >= sizeof address.name.sun_path) {
    auto fd = open_file(folder, O_PATH | O_DIRECTORY);
    if (!fd) return tl::unexpected(fd.error());
    address.folder = std::move(*fd);
    path = fmt::format("/proc/self/fd/{}/control", address.folder.get());
  }
  std::memcpy(address.name.sun_path, path.c_str(), path.size() + 1);
  return address;
}

sockaddr* generic(Address& address) {
  return reinterpret_cast<sockaddr*>(&address.name);
}

}  // namespace

ControlServer::ControlServer(std::string folder, Fd fd, Handler handler)
    : path_(std::move(folder) + "/control"), fd_(std::move(fd)), handler_(std::move(handler)) {}

ControlServer::~ControlServer() {
  if (reachable()) unlink(path_.c_str());
}

bool ControlServer::reachable() const {
  struct stat status {};
  return stat(path_.c_str(), &status) == 0 && status.st_ino == inode_ && status.st_dev == device_;
}

Result<std::unique_ptr<ControlServer>> ControlServer::open(const std::string& folder,
                                                           bool group_readable, Handler handler) {
  Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail_errno(errno, "control socket");
  auto address = address_in(folder);
  if (!address) return tl::unexpected(address.error());
  std::string path = folder + "/control";
  unlink(path.c_str());  // left by a recorder that was killed; the lock is ours
  // Its mode from its first moment on: bind() makes the file with that of the socket.
  fchmod(fd.get(), 0600);
  if (bind(fd.get(), generic(*address), sizeof address->name) != 0 || listen(fd.get(), 16) != 0) {
    return fail_errno(errno, path);
  }
  if (group_readable) chmod(path.c_str(), 0660);
  std::unique_ptr<ControlServer> server(
      new ControlServer(folder, std::move(fd), std::move(handler)));
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    server->inode_ = status.st_ino;
    server->device_ = status.st_dev;
  }
  return server;
}

void ControlServer::accept_one() {
  Fd fd(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd || clients_.size() >= kMostClients) return;
  clients_.push_back({std::move(fd), "", monotonic_ns()});
}

bool ControlServer::serve(Client& client) {
  std::array<char, 4096> bytes;
  ssize_t got = recv(client.fd.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  client.buffer.append(bytes.data(), static_cast<size_t>(got));
  size_t end = client.buffer.find('\n');
  if (end == std::string::npos) return client.buffer.size() < kLongestRequest;
  ucred peer{};
  socklen_t size = sizeof peer;
  bool known = getsockopt(client.fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  bool writer = known && (peer.uid == 0 || peer.uid == geteuid());
  std::string answer = handler_(client.buffer.substr(0, end), writer) + "\n";
  // One answer is far smaller than a socket's buffer; who does not take it is not waited for.
  (void)!send(client.fd.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return false;
}

void ControlServer::serve_until(int64_t deadline_ns, const std::function<bool()>& stop) {
  // One round at least: also a recorder whose samples take longer than their interval hears "stop".
  bool over = false;
  while (!over && !stop()) {
    int64_t now = monotonic_ns();
    over = now >= deadline_ns;
    std::erase_if(clients_, [&](const Client& c) { return now - c.since_ns > kClientTime; });
    serve_round(std::max<int64_t>(deadline_ns - now, 0));
  }
}

void ControlServer::serve_round(int64_t wait_ns) {
  std::vector<pollfd> polled{{fd_.get(), POLLIN, 0}};
  for (const Client& client : clients_)
    polled.push_back({client.fd.get(), POLLIN, 0});
  timespec left{wait_ns / kSecond, wait_ns % kSecond};
  sigset_t none;
  sigemptyset(&none);
  if (ppoll(polled.data(), polled.size(), &left, &none) <= 0) return;  // the time, or a signal
  // From the last to the first, since those that are done are taken out. One request of each per
  // round: whoever asks without end does not hold up a sample.
  for (size_t i = clients_.size(); i > 0; --i) {
    if (polled[i].revents == 0) continue;
    if (!serve(clients_[i - 1])) clients_.erase(clients_.begin() + static_cast<ptrdiff_t>(i - 1));
  }
  if (polled[0].revents != 0) accept_one();
}

namespace {

Result<Fd> connect_to(const std::string& folder) {
  Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return fail_errno(errno, "control socket");
  auto address = address_in(folder);
  if (!address) return fail(Errc::not_found, "no recorder runs in {}", folder);
  timeval limit{5, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(fd.get(), generic(*address), sizeof address->name) == 0) return fd;
  if (errno == EACCES || errno == EPERM) return fail_unreadable(folder + "/control");
  if (errno == EAGAIN || errno == EINPROGRESS) {
    return fail(Errc::timed_out, "the recorder in {} does not answer", folder);
  }
  return fail(Errc::not_found, "no recorder runs in {}", folder);
}

Result<std::string> exchange(const Fd& fd, const std::string& folder, const std::string& request) {
  std::string line = request + "\n";
  if (send(fd.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    return fail_errno(errno, folder + "/control");
  }
  std::string answer;
  std::array<char, 4096> bytes;
  while (answer.find('\n') == std::string::npos) {
    ssize_t got = recv(fd.get(), bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return fail(Errc::timed_out, "the recorder in {} does not answer", folder);
    }
    if (got <= 0) return fail(Errc::io, "the recorder in {} closed the connection", folder);
    answer.append(bytes.data(), static_cast<size_t>(got));
    if (answer.size() > kLongestAnswer) return fail(Errc::corrupt, "{}: endless answer", folder);
  }
  answer.resize(answer.find('\n'));
  return answer;
}

}  // namespace

Result<std::string> ask_recorder(const std::string& folder, const std::string& request) {
  auto fd = connect_to(folder);
  if (!fd) return tl::unexpected(fd.error());
  return exchange(*fd, folder, request);
}

bool recorder_listens(const std::string& folder) {
  return connect_to(folder).has_value();
}

Result<std::string> stop_recorder(const std::string& folder, int64_t limit_ns) {
  auto fd = connect_to(folder);
  if (!fd) return tl::unexpected(fd.error());
  // Who listens there, as this process' PID namespace calls it; held by a descriptor, so that no
  // other process that gets the number is waited for.
  ucred peer{};
  socklen_t size = sizeof peer;
  Fd process;
  if (getsockopt(fd->get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0) {
    process = Fd(static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0)));
  }
  auto answer = exchange(*fd, folder, R"({"command":"stop"})");
  if (!answer) return answer;
  nlohmann::json said = nlohmann::json::parse(*answer, nullptr, false);
  bool obeys = said.is_object() && said.value("ok", false);
  if (!obeys) return answer;
  for (int64_t end = monotonic_ns() + limit_ns; monotonic_ns() < end;) {
    if (process) {
      pollfd ended{process.get(), POLLIN, 0};
      if (poll(&ended, 1, static_cast<int>((end - monotonic_ns()) / kMillisecond) + 1) > 0)
        return answer;
    } else {  // its namespace is not ours, or the kernel is older than 5.3
      if (!connect_to(folder)) return answer;
      usleep(10'000);
    }
  }
  return fail(Errc::timed_out, "process {} was asked to stop and still runs", peer.pid);
}

}  // namespace tacho
