// One pass over all sockets, for both of the tables that are made of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "collect/reader.h"
#include "collect/socket_holders.h"
#include "collect/socket_options.h"
#include "collect/socket_owners.h"
#include "host/sockets.h"
#include "sample/value.h"

namespace tacho {

class WatchList;

/// A socket that is kept. Its tcp_info lies in `info`.
struct KeptSocket {
  SocketInfo socket;
  std::vector<char> info;
  Value pid{0, Absent::not_read};
  uint32_t program = 0;  ///< index of SocketDump::programs
};

/// What is counted of all sockets; `port` is a listening port, or 0 for all the others.
struct SocketGroup {
  SocketProtocol protocol;
  SocketState state;
  uint16_t port;
  auto operator<=>(const SocketGroup&) const = default;
};
struct SocketSum {
  uint64_t sockets = 0;
  uint64_t recv_queue = 0;
  uint64_t send_queue = 0;
  bool has_backlog = true;
};

struct SocketDump {
  std::vector<KeptSocket> sockets;
  std::vector<std::string> programs{std::string()};
  std::map<SocketGroup, SocketSum> groups;
  Result<void> outcome;
};

/// While there are no more sockets than this, all of them are kept.
inline constexpr size_t kAllSockets = 2000;
/// Never more than this, whatever they do.
inline constexpr size_t kMostSockets = 10'000;

/// What the tables that are selected need.
struct SocketWants {
  bool sockets = true;  ///< one by one
  bool groups = true;   ///< counted
  SocketOptions options;
  std::shared_ptr<SocketHolders> holders;  ///< where the owners are to be complete
};

/// Shared by the readers of `socket` and `socket_state`, each on its own thread: who comes first
/// reads, the other one waits for it and gets the same.
class SocketScan {
 public:
  SocketScan(std::shared_ptr<const WatchList> list, const SocketWants& wants)
      : list_(std::move(list)), wants_(wants) {}
  /// The sockets as they were when the first of the readers asked in this sample.
  [[nodiscard]] std::shared_ptr<const SocketDump> scan(Collecting& collecting);
  [[nodiscard]] bool wants_tcp_info() const { return wants_.options.tcp_info; }

  /// Whether every socket is wanted by the one reader of them and nothing is counted: then it gets
  /// them one after the other, and they are not kept here. 50,000 of them would fill memory twice.
  [[nodiscard]] bool is_direct() const { return wants_.options.all && !wants_.groups; }
  /// What is shown is valid during the call only.
  [[nodiscard]] Result<void> visit(const Machine& machine, const SocketVisitor& visit) const;
  /// Where owners are to be complete: who holds what; otherwise null.
  [[nodiscard]] std::shared_ptr<const HeldSockets> holders(const Collecting& collecting) const;

 private:
  void gather(const Machine& machine, SocketDump& dump);
  void find_owners(const Collecting& collecting, SocketDump& dump);
  void visit_namespaces(const Machine& machine, SocketDump& dump);
  void take(const Machine& machine, const SocketInfo& socket, SocketDump& dump);
  void count(const SocketInfo& socket, SocketDump& dump);
  void keep(const Machine& machine, const SocketInfo& socket, SocketDump& dump);
  [[nodiscard]] bool matters(const SocketInfo& socket) const;

  std::shared_ptr<const WatchList> list_;
  SocketWants wants_;
  std::mutex mutex_;
  std::shared_ptr<const SocketDump> last_;
  uint64_t sample_ = 0;
  uint64_t epoch_ = 0;
  SocketOwners owners_;
  // Of the scan under way:
  std::vector<bool> listening_;  ///< by port
  size_t seen_ = 0;
  std::unordered_set<uint64_t> watched_;  ///< inodes; known once there are too many to keep all
  int64_t watched_ns_ = 0;
};

}  // namespace tacho
