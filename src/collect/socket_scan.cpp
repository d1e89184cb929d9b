#include "collect/socket_scan.h"

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "collect/tree.h"

namespace tacho {
namespace {

/// How old the list of the watched tree's sockets may be, where not all sockets are kept.
constexpr int64_t kWatchedAge = 30 * kSecond;
/// Network namespaces of the watched tree that are looked into, and processes asked for theirs.
constexpr size_t kMostNamespaces = 4;
constexpr size_t kMostAsked = 256;

constexpr SocketStates kListening = only(SocketState::listen);

}  // namespace

std::shared_ptr<const SocketDump> SocketScan::scan(Collecting& collecting) {
  std::lock_guard lock(mutex_);
  const Machine& machine = collecting.machine;
  if (last_ && sample_ == collecting.sample && epoch_ == machine.epoch()) return last_;
  last_.reset();  // its memory is free before the next is filled, where nobody else holds it
  if (epoch_ != machine.epoch()) watched_ns_ = 0;
  auto dump = std::make_shared<SocketDump>();
  gather(machine, *dump);
  if (want_sockets_ && dump->outcome) {
    std::vector<uint64_t> inodes;
    inodes.reserve(dump->sockets.size());
    for (const KeptSocket& kept : dump->sockets)
      inodes.push_back(kept.socket.inode);
    owners_.look_up(machine, inodes);
    for (KeptSocket& kept : dump->sockets)
      kept.pid = owners_.pid_of(kept.socket.inode);
  }
  last_ = dump;
  sample_ = collecting.sample;
  epoch_ = machine.epoch();
  return dump;
}

void SocketScan::gather(const Machine& machine, SocketDump& dump) {
  listening_.assign(65536, false);
  seen_ = 0;
  auto visit = [&](const SocketInfo& socket) { take(machine, socket, dump); };
  // The listeners come first: what the others are counted under is their ports.
  dump.outcome = visit_tcp_sockets(machine, visit);
  if (!dump.outcome) return;
  visit_namespaces(machine, dump);
  if (!want_sockets_) return;
  for (SocketProtocol protocol : {SocketProtocol::udp, SocketProtocol::udp6}) {
    (void)visit_sockets(machine, protocol, kAnyState, visit);
  }
}

/// A watched tree in a container has sockets of its own, which netlink does not show from here.
void SocketScan::visit_namespaces(const Machine& machine, SocketDump& dump) {
  auto own = machine.link("proc/self/ns/net");
  if (!own) return;
  std::vector<std::string> seen{*own};
  size_t asked = 0;
  for (uint64_t pid : list_->members()) {
    if (seen.size() > kMostNamespaces || ++asked > kMostAsked) return;
    auto net = machine.link(fmt::format("proc/{}/ns/net", pid).c_str());
    if (!net || std::ranges::find(seen, *net) != seen.end()) continue;
    seen.push_back(*net);
    std::string folder = fmt::format("proc/{}/net", pid);
    auto visit = [&](const SocketInfo& socket) { take(machine, socket, dump); };
    for (SocketStates states : {kListening, kAnyState & ~kListening}) {
      for (SocketProtocol protocol : {SocketProtocol::tcp, SocketProtocol::tcp6}) {
        (void)visit_socket_file(machine, folder, protocol, states, visit);
      }
    }
    for (SocketProtocol protocol : {SocketProtocol::udp, SocketProtocol::udp6}) {
      if (want_sockets_) (void)visit_socket_file(machine, folder, protocol, kAnyState, visit);
    }
  }
}

void SocketScan::take(const Machine& machine, const SocketInfo& socket, SocketDump& dump) {
  if (is_tcp(socket.protocol)) {
    if (socket.state == SocketState::listen) listening_[socket.local_port] = true;
    uint16_t port = listening_[socket.local_port] ? socket.local_port : uint16_t{0};
    SocketState state =
        socket.state == SocketState::new_syn_recv ? SocketState::syn_recv : socket.state;
    SocketSum& sum = dump.groups[{socket.protocol, state, port}];
    ++sum.sockets;
    sum.recv_queue += socket.recv_queue;
    sum.send_queue += socket.send_queue;
    sum.has_backlog = sum.has_backlog && socket.has_backlog;
  }
  if (want_sockets_) keep(machine, socket, dump);
}

bool SocketScan::matters(const SocketInfo& socket) const {
  return socket.state == SocketState::listen || socket.recv_queue > 0 || socket.send_queue > 0 ||
         socket.retransmits > 0 || watched_.contains(socket.inode);
}

void SocketScan::keep(const Machine& machine, const SocketInfo& socket, SocketDump& dump) {
  if (++seen_ == kAllSockets + 1) {
    int64_t now = monotonic_ns();
    if (watched_ns_ == 0 || now - watched_ns_ > kWatchedAge) {
      watched_ = SocketOwners::sockets_of(machine, list_->members());
      watched_.erase(0);
      watched_ns_ = now;
    }
    std::erase_if(dump.sockets, [&](const KeptSocket& kept) { return !matters(kept.socket); });
  }
  if (seen_ > kAllSockets && !matters(socket)) return;
  if (dump.sockets.size() >= kMostSockets) return;
  KeptSocket kept{socket, {socket.tcp_info.begin(), socket.tcp_info.end()}, {}};
  kept.socket.tcp_info = {};  // valid only now
  dump.sockets.push_back(std::move(kept));
}

}  // namespace tacho
