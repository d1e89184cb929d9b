// Which rows of the table `socket` netstat shows, and what they have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "views/netstat/netstat.h"

namespace tacho {

/// What netstat tells apart: the name it shows and the family of name look-ups.
struct SocketFamily {
  std::string_view name;     ///< as the table has it: "udplite6"
  std::string_view shown;    ///< "udpl6"
  std::string_view service;  ///< "udp": whose ports these are
  bool is_v6;
};
inline constexpr size_t kSocketFamilies = 8;
/// In the order of netstat.
[[nodiscard]] const SocketFamily& socket_family(size_t index);

struct SocketRow {
  uint32_t row;
  uint8_t family;  ///< index of socket_family
};

/// The rows that are wanted, in the order in which they are shown.
[[nodiscard]] std::vector<SocketRow> socket_rows(const Rows& sockets,
                                                 const NetstatOptions& options);

/// "127.0.0.1:22" of rows; looks each name up once.
class Endpoints {
 public:
  Endpoints(const Rows& sockets, const NetstatNames& names) : sockets_(sockets), names_(names) {}
  void put_local(const SocketRow& row, std::string& out);
  void put_remote(const SocketRow& row, std::string& out);

 private:
  void put(const SocketRow& row, Column address, Column port, std::string& out);

  const Rows& sockets_;
  const NetstatNames& names_;
  std::unordered_map<uint64_t, std::string> hosts_;  ///< by text id
  std::unordered_map<uint64_t, std::string> ports_;  ///< by port and family
};

/// "(servers and established)", by -a and -l.
[[nodiscard]] std::string_view netstat_extent(const NetstatOptions& options);

void put_number(std::string& out, uint64_t value);
/// "-" where absent.
void put_value(std::string& out, Value value);
/// Control characters escaped.
void put_escaped(std::string& out, std::string_view text);
[[nodiscard]] Json json_of(Value value);
/// All that is known of a socket.
[[nodiscard]] Json socket_json(const Rows& sockets, const SocketRow& row);

/// "123/sshd", "-" where it is not known.
void put_program(std::string& out, const Rows& rows, size_t row, Column pid, Column program);

/// The state as netstat shows it: of raw sockets a number, of unconnected UDP ones nothing.
void put_state(std::string& out, const Rows& sockets, const SocketRow& row);

}  // namespace tacho
