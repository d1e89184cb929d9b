// The routing tables.
#include <fmt/format.h>
#include <linux/ipv6_route.h>
#include <linux/route.h>

#include <array>
#include <string>

#include "base/text.h"
#include "render/number.h"
#include "schema/net.h"
#include "views/many_rows.h"
#include "views/netstat/netstat.h"
#include "views/netstat/socket_rows.h"

namespace tacho {
namespace {

struct Line {
  const Rows& routes;
  size_t row;
  const NetstatNames& names;

  [[nodiscard]] Value at(Column column) const { return routes.at(row, column); }
  [[nodiscard]] std::string_view text(Column column) const { return routes.text(row, column); }
  [[nodiscard]] bool has(uint64_t flag) const {
    return (at(schema::route["flags"]).bits & flag) != 0;
  }
};
using RouteColumn = ManyRowsColumn<Line>;

struct Letter {
  uint64_t flag;
  char letter;
};
constexpr uint64_t kNotCached = 0x400;  // RTF_NOTCACHED of older kernels
constexpr std::array kLetters{
    Letter{RTF_HOST, 'H'},     Letter{RTF_REINSTATE, 'R'}, Letter{RTF_DYNAMIC, 'D'},
    Letter{RTF_MODIFIED, 'M'}, Letter{RTF_DEFAULT, 'd'},   Letter{RTF_ALLONLINK, 'a'},
    Letter{RTF_ADDRCONF, 'c'}, Letter{RTF_NONEXTHOP, 'o'}, Letter{RTF_EXPIRES, 'e'},
    Letter{RTF_CACHE, 'c'},    Letter{RTF_FLOW, 'f'},      Letter{RTF_POLICY, 'p'},
    Letter{RTF_LOCAL, 'l'},    Letter{RTF_MTU, 'u'},       Letter{RTF_WINDOW, 'w'},
    Letter{RTF_IRTT, 'i'},     Letter{kNotCached, 'n'},
};
constexpr std::array kLetters6{
    Letter{RTF_UP, 'U'},        Letter{RTF_REJECT, '!'},   Letter{RTF_GATEWAY, 'G'},
    Letter{RTF_HOST, 'H'},      Letter{RTF_MODIFIED, 'm'}, Letter{RTF_DEFAULT, 'D'},
    Letter{RTF_ALLONLINK, 'a'}, Letter{RTF_ADDRCONF, 'A'}, Letter{RTF_NONEXTHOP, 'n'},
    Letter{RTF_EXPIRES, 'e'},   Letter{RTF_FLOW, 'f'},
};

void put_letters(const Line& l, std::span<const Letter> letters, std::string& out) {
  for (const Letter& letter : letters) {
    if (l.has(letter.flag)) out += letter.letter;
  }
}

std::string netmask(uint64_t prefix) {
  uint64_t mask = prefix >= 32 ? UINT32_MAX : ~(UINT32_MAX >> prefix) & UINT32_MAX;
  return fmt::format("{}.{}.{}.{}", mask >> 24, mask >> 16 & 255, mask >> 8 & 255, mask & 255);
}

void put_host(const Line& l, std::string_view address, bool is_v6, std::string& out) {
  std::string name = l.names.host ? l.names.host(address, is_v6) : "";
  out += name.empty() ? std::string(address) : escape_control(name);
}

void put_destination(const Line& l, std::string& out) {
  std::string_view address = l.text(schema::route["destination"]);
  if (l.has(RTF_HOST)) return put_host(l, address, false, out);
  std::string name =
      l.names.network ? l.names.network(address, l.at(schema::route["prefix"]).bits) : "";
  out += name.empty() ? std::string(address) : escape_control(name);
}
void put_gateway(const Line& l, std::string& out) {
  if (l.has(RTF_REJECT)) {
    out += kAbsentText;
  } else {
    put_host(l, l.text(schema::route["gateway"]), false, out);
  }
}
void put_mask(const Line& l, std::string& out) {
  out += netmask(l.at(schema::route["prefix"]).bits);
}
void put_flags(const Line& l, std::string& out) {
  if (l.has(RTF_REJECT)) {
    out += '!';
  } else {
    out += l.has(RTF_GATEWAY) ? "UG" : "U";
  }
  put_letters(l, kLetters, out);
}
/// What a route that rejects has none of.
template <Column column>
void put_unless_rejected(const Line& l, std::string& out) {
  put_value(out, l.has(RTF_REJECT) ? Value{0, Absent::not_applicable} : l.at(column));
}
template <Column column>
void put_always(const Line& l, std::string& out) {
  put_value(out, l.at(column));
}
void put_device(const Line& l, std::string& out) {
  out += l.has(RTF_REJECT) ? kAbsentText : escape_control(l.text(schema::route["device"]));
}

constexpr RouteColumn kDestination{"Destination", 15, Align::left, put_destination};
constexpr RouteColumn kGateway{"Gateway", 15, Align::left, put_gateway};
constexpr RouteColumn kMask{"Genmask", 15, Align::left, put_mask};
constexpr RouteColumn kFlags{"Flags", 5, Align::left, put_flags};
constexpr auto put_references = put_unless_rejected<schema::route["references"]>;
constexpr auto put_mss = put_unless_rejected<schema::route["mss"]>;
constexpr auto put_window = put_unless_rejected<schema::route["window"]>;
constexpr auto put_irtt = put_unless_rejected<schema::route["irtt"]>;
constexpr auto put_uses = put_always<schema::route["uses"]>;

constexpr std::array kPlain{
    kDestination,
    kGateway,
    kMask,
    kFlags,
    RouteColumn{"MSS", 5, Align::right, put_mss},
    RouteColumn{"Window", 6, Align::left, put_window},
    RouteColumn{"irtt", 5, Align::right, put_irtt},
    RouteColumn{"Iface", 0, Align::left, put_device, true},
};
constexpr RouteColumn kMetric{"Metric", 6, Align::left, put_always<schema::route["metric"]>};
constexpr RouteColumn kReferences{"Ref", 3, Align::left, put_references};
constexpr RouteColumn kUses{"Use", 6, Align::right, put_uses};
constexpr std::array kExtended{
    kDestination, kGateway,    kMask, kFlags,
    kMetric,      kReferences, kUses, RouteColumn{"Iface", 0, Align::left, put_device, true},
};
constexpr std::array kAllColumns{
    kDestination,
    kGateway,
    kMask,
    kFlags,
    kMetric,
    kReferences,
    kUses,
    RouteColumn{"Iface", 8, Align::left, put_device},
    RouteColumn{"MSS", 5, Align::left, put_mss},
    RouteColumn{"Window", 6, Align::left, put_window},
    RouteColumn{"irtt", 0, Align::left, put_irtt, true},
};

void put_destination6(const Line& l, std::string& out) {
  put_host(l, l.text(schema::route["destination"]), true, out);
  out += '/';
  put_value(out, l.at(schema::route["prefix"]));
}
void put_next_hop(const Line& l, std::string& out) {
  put_host(l, l.text(schema::route["gateway"]), true, out);
}
void put_flags6(const Line& l, std::string& out) {
  put_letters(l, kLetters6, out);
}
void put_metric6(const Line& l, std::string& out) {
  // The highest of 32 bits is the one of what rejects all the rest: -1 for the original.
  out += std::to_string(static_cast<int32_t>(l.at(schema::route["metric"]).bits));
}
void put_device6(const Line& l, std::string& out) {
  out += escape_control(l.text(schema::route["device"]));
}

constexpr std::array kColumns6{
    RouteColumn{"Destination", 30, Align::left, put_destination6},
    RouteColumn{"Next Hop", 26, Align::left, put_next_hop},
    RouteColumn{"Flag", 4, Align::left, put_flags6},
    RouteColumn{"Met", 3, Align::left, put_metric6},
    RouteColumn{"Ref", 3, Align::left, put_always<schema::route["references"]>},
    RouteColumn{"Use", 4, Align::right, put_uses},
    RouteColumn{"If", 0, Align::left, put_device6, true},
};

std::string lines(const Rows& routes, std::string_view family, std::span<const RouteColumn> columns,
                  const NetstatNames& names) {
  return rows_text<Line>(columns, [&](const auto& visit) {
    for (size_t row = 0; row < routes.size(); ++row) {
      Line line{routes, row, names};
      if (line.text(schema::route["family"]) != family) continue;
      // The original leaves out what is down, and clones of routes.
      bool shown = family == "inet" ? line.has(RTF_UP) : !line.has(RTF_CACHE);
      if (shown) visit(line);
    }
  });
}

}  // namespace

std::string netstat_routes(const Rows& routes, const NetstatOptions& options,
                           const NetstatNames& names) {
  std::span<const RouteColumn> columns = kPlain;
  if (options.extended == 1) columns = kExtended;
  if (options.extended > 1) columns = kAllColumns;
  return "Kernel IP routing table\n" + lines(routes, "inet", columns, names);
}

std::string netstat_routes6(const Rows& routes, const NetstatNames& names) {
  return "Kernel IPv6 routing table\n" + lines(routes, "inet6", kColumns6, names);
}

Json netstat_routes_json(const Rows& routes, const NetstatOptions& options) {
  Json json = Json::array();
  for (size_t row = 0; row < routes.size(); ++row) {
    std::string_view family = routes.text(row, schema::route["family"]);
    if (!(family == "inet6" ? options.inet6 : options.inet)) continue;
    auto number = [&](Column column) { return json_of(routes.at(row, column)); };
    uint64_t flags = routes.at(row, schema::route["flags"]).bits;
    json.push_back(Json{
        {"family", family},
        {"destination", routes.text(row, schema::route["destination"])},
        {"prefix", number(schema::route["prefix"])},
        {"gateway", (flags & RTF_GATEWAY) != 0 ? Json(routes.text(row, schema::route["gateway"]))
                                               : Json(nullptr)},
        {"device", routes.text(row, schema::route["device"])},
        {"rejects", (flags & RTF_REJECT) != 0},
        {"metric", number(schema::route["metric"])},
        {"mss", number(schema::route["mss"])},
        {"window", number(schema::route["window"])},
        {"irtt", number(schema::route["irtt"])}});
  }
  return json;
}

}  // namespace tacho
