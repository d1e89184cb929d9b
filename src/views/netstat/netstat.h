// netstat (net-tools 2.10): the same tables, right where the original is wrong: addresses and names
// are never cut (the column widens), names are escaped, a listener's Send-Q is its backlog.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/json.h"
#include "sample/sample.h"
#include "views/many_rows.h"

namespace tacho {

struct NetstatOptions {
  bool all = false;        ///< -a: what listens and what does not
  bool listening = false;  ///< -l
  // Which sockets: --tcp …; of IPv4 and IPv6.
  bool tcp = false;
  bool udp = false;
  bool udplite = false;
  bool raw = false;
  bool unix = false;
  bool inet = false;
  bool inet6 = false;
  int extended = 0;       ///< -e: how often it was given
  bool programs = false;  ///< -p
  bool timers = false;    ///< -o
};

/// Names instead of numbers, looked up by the caller. What is not set leaves the number; so does an
/// empty name. Asked once for each address, port and user.
struct NetstatNames {
  std::function<std::string(std::string_view address, bool is_v6)> host;
  std::function<std::string(uint64_t port, std::string_view protocol)> port;
  std::function<std::string(uint64_t uid)> user;
  std::function<std::string(std::string_view address, uint64_t prefix)> network;
};

/// "Active Internet connections …": title, header and a line for each socket of the table `socket`.
/// Order: tcp, tcp6, udp, udp6, udplite, udplite6, raw, raw6; of each, what listens first; then as
/// the kernel (or the recording) lists them.
void netstat_sockets(const Rows& sockets, const NetstatOptions& options, const NetstatNames& names,
                     const TextSink& sink);
/// An object for each of them, all that is known in it.
[[nodiscard]] Json netstat_sockets_json(const Rows& sockets, const NetstatOptions& options);

/// "Active UNIX domain sockets …", of the table `socket_unix`.
[[nodiscard]] std::string netstat_unix(const Rows& sockets, const NetstatOptions& options);
[[nodiscard]] Json netstat_unix_json(const Rows& sockets, const NetstatOptions& options);

/// Whether some owner is not known because its descriptors may not be read.
[[nodiscard]] bool owners_denied(const Rows& rows, Column pid);

/// How many TCP sockets of `sample` were left out of its table `socket`; nothing where none was, or
/// nothing is known about it.
struct LeftOut {
  uint64_t kept = 0;
  uint64_t all = 0;
};
[[nodiscard]] std::optional<LeftOut> sockets_left_out(const Sample& sample);

/// "Kernel IP routing table" and "Kernel IPv6 routing table", of the table `route`.
[[nodiscard]] std::string netstat_routes(const Rows& routes, const NetstatOptions& options,
                                         const NetstatNames& names);
[[nodiscard]] std::string netstat_routes6(const Rows& routes, const NetstatNames& names);
[[nodiscard]] Json netstat_routes_json(const Rows& routes, const NetstatOptions& options);

/// The interfaces of the table `net`, without -a those that are up. No title.
[[nodiscard]] std::string netstat_interfaces(const Rows& interfaces, const NetstatOptions& options);
[[nodiscard]] Json netstat_interfaces_json(const Rows& interfaces, const NetstatOptions& options);

/// -s: the table `net_counter` in words; with inet6 alone, the counters of IPv6.
[[nodiscard]] std::string netstat_statistics(const Rows& counters, const NetstatOptions& options);
[[nodiscard]] Json netstat_statistics_json(const Rows& counters);

/// --states: how many TCP sockets are in each state, of the table `socket_state`.
[[nodiscard]] std::string netstat_states(const Rows& states, const NetstatOptions& options);
[[nodiscard]] Json netstat_states_json(const Rows& states, const NetstatOptions& options);

/// --queues: the sockets that have something queued, the longest queue first.
class NetstatQueues {
 public:
  /// `sample` must have the table `socket`.
  NetstatQueues(SamplePtr sample, const NetstatOptions& options);

  /// To be told of earlier samples, one after the other, back in time. False once no more of them
  /// are needed: every queue's beginning is known.
  bool look_back(const Sample& earlier);

  [[nodiscard]] std::string text(const NetstatNames& names) const;
  [[nodiscard]] Json json() const;

 private:
  struct Queue {
    size_t row = 0;
    uint8_t family = 0;  ///< as socket_rows() has it
    uint64_t length = 0;
    std::optional<int64_t> since_ns;  ///< REALTIME of the earliest sample in which it was there
    bool settled = false;             ///< its beginning is known
  };
  [[nodiscard]] std::optional<double> seconds(const Queue& queue) const;
  [[nodiscard]] bool settled() const;

  SamplePtr sample_;
  std::vector<Queue> queues_;
  int64_t looked_ns_ = 0;  ///< read_ns of the table looked at last
  bool looked_back_ = false;
};

}  // namespace tacho
