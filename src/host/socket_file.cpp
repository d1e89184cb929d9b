// Sockets from the text files of /proc/net, and the words for states and addresses.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "host/sockets.h"

namespace tacho {
namespace {

/// "0100007F:0016": 32-bit words as this CPU reads them from network order, then the port.
bool parse_endpoint(std::string_view text, size_t words, std::array<unsigned char, 16>& address,
                    uint16_t& port) {
  if (text.size() != words * 8 + 5 || text[words * 8] != ':') return false;
  for (size_t i = 0; i < words; ++i) {
    auto word = parse_u64(text.substr(i * 8, 8), 16);
    if (!word) return false;
    auto raw = static_cast<uint32_t>(*word);
    std::memcpy(address.data() + i * 4, &raw, sizeof(raw));
  }
  auto number = parse_u64(text.substr(words * 8 + 1), 16);
  if (!number) return false;
  port = static_cast<uint16_t>(*number);
  return true;
}

/// "00000000:00000010": two hexadecimal numbers.
bool parse_two(std::string_view text, uint64_t& first, uint64_t& second) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  auto a = parse_u64(text.substr(0, colon), 16);
  auto b = parse_u64(text.substr(colon + 1), 16);
  if (!a || !b) return false;
  first = *a;
  second = *b;
  return true;
}

}  // namespace

std::string_view name(SocketProtocol protocol) {
  static constexpr std::array<std::string_view, kSocketProtocols.size()> names{
      "tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6"};
  return names[static_cast<size_t>(protocol)];
}

std::string_view name(SocketState state) {
  // NEW_SYN_RECV is a SYN_RECV that has no full socket yet; netstat does not tell them apart.
  static constexpr std::array<std::string_view, 13> names{
      "",      "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT",
      "CLOSE", "CLOSE_WAIT",  "LAST_ACK", "LISTEN",   "CLOSING",   "SYN_RECV"};
  auto index = static_cast<size_t>(state);
  return index < names.size() ? names[index] : std::string_view{};
}

std::string address_text(SocketProtocol protocol, const std::array<unsigned char, 16>& address) {
  if (!is_v6(protocol)) {
    return fmt::format("{}.{}.{}.{}", address[0], address[1], address[2], address[3]);
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, address.data(), text.data(), text.size());
  return text.data();
}

std::optional<SocketInfo> parse_socket_line(SocketProtocol protocol, std::string_view line) {
  size_t words = is_v6(protocol) ? 4 : 1;
  std::array<std::string_view, 10> fields;
  for (auto& field : fields)
    field = next_field(line);
  SocketInfo socket;
  socket.protocol = protocol;
  if (!fields[0].ends_with(':') ||
      !parse_endpoint(fields[1], words, socket.local_address, socket.local_port) ||
      !parse_endpoint(fields[2], words, socket.remote_address, socket.remote_port)) {
    return std::nullopt;
  }
  auto state = parse_u64(fields[3], 16);
  if (!state || name(static_cast<SocketState>(*state & 0xff)).empty() || *state > 0xff) {
    return std::nullopt;
  }
  socket.state = static_cast<SocketState>(*state);
  uint64_t timer = 0;
  uint64_t ticks = 0;
  auto retransmits = parse_u64(fields[6], 16);
  auto uid = parse_u64(fields[7]);
  auto inode = parse_u64(trim(fields[9]));
  if (!parse_two(fields[4], socket.send_queue, socket.recv_queue) ||
      !parse_two(fields[5], timer, ticks) || !retransmits || !uid || !inode) {
    return std::nullopt;
  }
  socket.timer = static_cast<uint8_t>(timer);
  socket.timer_left_ms = std::min<uint64_t>(ticks, INT32_MAX) * 10;  // USER_HZ is 100
  socket.retransmits = static_cast<uint8_t>(std::min<uint64_t>(*retransmits, UINT8_MAX));
  socket.uid = *uid;
  socket.inode = *inode;
  socket.has_backlog = !(is_tcp(protocol) && socket.state == SocketState::listen);
  return socket;
}

Result<void> visit_socket_file(const Machine& machine, const std::string& folder,
                               SocketProtocol protocol, SocketStates states,
                               const SocketVisitor& visit) {
  Buffer buffer;
  auto text = machine.read(fmt::format("{}/{}", folder, name(protocol)).c_str(), buffer);
  if (!text) return tl::unexpected(text.error());
  std::string_view rest = *text;
  std::string_view line;
  next_line(rest, line);  // the names of the columns
  while (next_line(rest, line)) {
    auto socket = parse_socket_line(protocol, line);
    if (socket && (states & only(socket->state)) != 0) visit(*socket);
  }
  return {};
}

}  // namespace tacho
