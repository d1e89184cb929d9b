#include "collect/route_reader.h"

#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "host/sockets.h"
#include "schema/net.h"

namespace tacho {
namespace {

/// A router has a million; they say nothing about training.
constexpr size_t kMostRoutes = 1000;

using Address = std::array<unsigned char, 16>;

/// "0100007F": 32 bits as this CPU reads them from network order.
std::optional<Address> parse_word(std::string_view text) {
  auto word = parse_u64(text, 16);
  if (!word || text.size() != 8) return std::nullopt;
  auto raw = static_cast<uint32_t>(*word);
  Address address{};
  std::memcpy(address.data(), &raw, sizeof(raw));
  return address;
}

/// 32 hexadecimal digits in network order.
std::optional<Address> parse_bytes(std::string_view text) {
  Address address{};
  if (text.size() != 2 * address.size()) return std::nullopt;
  for (size_t i = 0; i < address.size(); ++i) {
    auto byte = parse_u64(text.substr(2 * i, 2), 16);
    if (!byte) return std::nullopt;
    address[i] = static_cast<unsigned char>(*byte);
  }
  return address;
}

struct Number {
  Column column;
  std::string_view text;
  int base = 10;
};

/// One route; nothing is added where an address or a number is none.
void add(Rows& rows, SocketProtocol family, const std::optional<Address>& destination,
         const std::optional<Address>& gateway, std::string_view device,
         std::initializer_list<Number> numbers) {
  if (!destination || !gateway || device.empty()) return;
  size_t row = rows.append();
  bool v6 = is_v6(family);
  rows.set_text(row, schema::route["family"], v6 ? "inet6" : "inet");
  rows.set_text(row, schema::route["destination"], address_text(family, *destination));
  rows.set_text(row, schema::route["gateway"], address_text(family, *gateway));
  rows.set_text(row, schema::route["device"], device);
  for (Column absent : {schema::route["mss"], schema::route["window"], schema::route["irtt"]})
    rows.set_absent(row, absent, Absent::not_supported);
  for (const Number& number : numbers) {
    auto value = parse_u64(number.text, number.base);
    if (!value) {
      rows.drop_last();
      return;
    }
    rows.set(row, number.column, *value);
  }
}

class RouteReader : public Reader {
 public:
  TableId table() const override { return TableId::route; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    auto v4 = v4_.read(collecting.machine, collecting.buffer);
    if (v4) parse_routes(*v4, rows);
    auto v6 = v6_.read(collecting.machine, collecting.buffer);
    if (v6) parse_routes6(*v6, rows);
    if (!v4 && !v6) return tl::unexpected(v4.error());
    return {};
  }

 private:
  KeptFile v4_{"proc/net/route"};
  KeptFile v6_{"proc/net/ipv6_route"};
};

}  // namespace

void parse_routes(std::string_view text, Rows& rows) {
  size_t most = rows.size() + kMostRoutes;
  std::string_view line;
  next_line(text, line);  // the names of the columns
  while (rows.size() < most && next_line(text, line)) {
    std::array<std::string_view, 11> f;
    for (auto& field : f)
      field = next_field(line);
    auto mask = parse_u64(f[7], 16);
    if (!mask) continue;
    std::string prefix = std::to_string(std::popcount(*mask));
    add(rows, SocketProtocol::tcp, parse_word(f[1]), parse_word(f[2]), f[0],
        {{schema::route["prefix"], prefix},
         {schema::route["metric"], f[6]},
         {schema::route["flags"], f[3], 16},
         {schema::route["references"], f[4]},
         {schema::route["uses"], f[5]},
         {schema::route["mss"], f[8]},
         {schema::route["window"], f[9]},
         {schema::route["irtt"], trim(f[10])}});
  }
}

void parse_routes6(std::string_view text, Rows& rows) {
  size_t most = rows.size() + kMostRoutes;
  std::string_view line;
  while (rows.size() < most && next_line(text, line)) {
    std::array<std::string_view, 10> f;
    for (auto& field : f)
      field = next_field(line);
    add(rows, SocketProtocol::tcp6, parse_bytes(f[0]), parse_bytes(f[4]), f[9],
        {{schema::route["prefix"], f[1], 16},
         {schema::route["metric"], f[5], 16},
         {schema::route["flags"], f[8], 16},
         {schema::route["references"], f[6], 16},
         {schema::route["uses"], f[7], 16}});
  }
}

std::unique_ptr<Reader> make_route_reader() {
  return std::make_unique<RouteReader>();
}

}  // namespace tacho
