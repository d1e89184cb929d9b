#include "collect/socket_scan.h"

#include <algorithm>
#include <string>
#include <unordered_map>

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
  if (wants_.sockets && dump->outcome) find_owners(collecting, *dump);
  last_ = dump;
  sample_ = collecting.sample;
  epoch_ = machine.epoch();
  return dump;
}

void SocketScan::find_owners(const Collecting& collecting, SocketDump& dump) {
  using Owners = SocketOptions::Owners;
  if (wants_.options.owners == Owners::none) return;
  auto held = holders(collecting);
  if (!held) {
    std::vector<uint64_t> inodes;
    inodes.reserve(dump.sockets.size());
    for (const KeptSocket& kept : dump.sockets)
      inodes.push_back(kept.socket.inode);
    owners_.look_up(collecting.machine, inodes);
  }
  std::unordered_map<uint64_t, uint32_t> programs;  // by pid
  for (KeptSocket& kept : dump.sockets) {
    uint64_t inode = kept.socket.inode;
    kept.pid = held ? held->of(inode).pid : owners_.pid_of(inode);
    if (!kept.pid) continue;
    auto [known, added] = programs.try_emplace(kept.pid.bits);
    if (added) {
      known->second = static_cast<uint32_t>(dump.programs.size());
      dump.programs.emplace_back(held ? held->of(inode).program : owners_.program_of(inode));
    }
    kept.program = known->second;
  }
}

void SocketScan::gather(const Machine& machine, SocketDump& dump) {
  listening_.assign(wants_.groups ? 65536 : 0, false);
  seen_ = 0;
  dump.outcome = visit(machine, [&](const SocketInfo& socket) { take(machine, socket, dump); });
  if (dump.outcome) visit_namespaces(machine, dump);
}

Result<void> SocketScan::visit(const Machine& machine, const SocketVisitor& visit) const {
  TcpInfo info = wants_.options.tcp_info && wants_.sockets ? TcpInfo::wanted : TcpInfo::unwanted;
  // The listeners come first: what the others are counted under is their ports.
  auto visited = visit_tcp_sockets(machine, visit, info);
  if (!visited || !wants_.sockets) return visited;
  for (SocketProtocol protocol : kSocketProtocols) {
    if (!is_tcp(protocol)) (void)visit_sockets(machine, protocol, kAnyState, visit);
  }
  return {};
}

std::shared_ptr<const HeldSockets> SocketScan::holders(const Collecting& collecting) const {
  bool complete = wants_.options.owners == SocketOptions::Owners::complete;
  return complete ? wants_.holders->look(collecting) : nullptr;
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
      if (wants_.sockets) (void)visit_socket_file(machine, folder, protocol, kAnyState, visit);
    }
  }
}

void SocketScan::take(const Machine& machine, const SocketInfo& socket, SocketDump& dump) {
  if (wants_.groups && is_tcp(socket.protocol)) count(socket, dump);
  if (!wants_.sockets) return;
  if (wants_.options.all) {
    dump.sockets.push_back({socket, {socket.tcp_info.begin(), socket.tcp_info.end()}});
    dump.sockets.back().socket.tcp_info = {};  // valid only now
  } else {
    keep(machine, socket, dump);
  }
}

void SocketScan::count(const SocketInfo& socket, SocketDump& dump) {
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
  KeptSocket kept{socket, {socket.tcp_info.begin(), socket.tcp_info.end()}};
  kept.socket.tcp_info = {};  // valid only now
  dump.sockets.push_back(std::move(kept));
}

}  // namespace tacho
