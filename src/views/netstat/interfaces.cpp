// The interface table.
#include <net/if.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/text.h"
#include "render/number.h"
#include "schema/net.h"
#include "views/many_rows.h"
#include "views/netstat/netstat.h"
#include "views/netstat/socket_rows.h"

namespace tacho {
namespace {

struct Line {
  const Rows& interfaces;
  size_t row;

  [[nodiscard]] Value at(Column column) const { return interfaces.at(row, column); }
  [[nodiscard]] std::string_view name() const {
    return interfaces.text(row, schema::net["device"]);
  }
  /// The bits of SIOCGIFFLAGS: /sys has all but that it is running (net/core/dev.c,
  /// dev_get_flags).
  [[nodiscard]] Value flags() const {
    Value flags = at(schema::net["flags"]);
    std::string_view state = interfaces.text(row, schema::net["operstate"]);
    bool running = (flags.bits & IFF_UP) != 0 && (state == "up" || state == "unknown");
    if (flags && running) flags.bits |= IFF_RUNNING;
    return flags;
  }
};
using InterfaceColumn = ManyRowsColumn<Line>;

struct Letter {
  uint64_t flag;
  char letter;
  const char* word;
};
/// In the order of the original, which has P for two of them.
constexpr std::array kLetters{
    Letter{IFF_ALLMULTI, 'A', "allmulti"},   Letter{IFF_BROADCAST, 'B', "broadcast"},
    Letter{IFF_DEBUG, 'D', "debug"},         Letter{IFF_LOOPBACK, 'L', "loopback"},
    Letter{IFF_MULTICAST, 'M', "multicast"}, Letter{IFF_DYNAMIC, 'd', "dynamic"},
    Letter{IFF_PROMISC, 'P', "promisc"},     Letter{IFF_NOTRAILERS, 'N', "notrailers"},
    Letter{IFF_NOARP, 'O', "noarp"},         Letter{IFF_POINTOPOINT, 'P', "pointopoint"},
    Letter{IFF_SLAVE, 's', "slave"},         Letter{IFF_MASTER, 'm', "master"},
    Letter{IFF_RUNNING, 'R', "running"},     Letter{IFF_UP, 'U', "up"},
};

void put_name(const Line& l, std::string& out) {
  out += escape_control(l.name());
}
template <Column column>
void put(const Line& l, std::string& out) {
  put_value(out, l.at(column));
}
void put_flags(const Line& l, std::string& out) {
  Value flags = l.flags();
  if (!flags) {
    out += kAbsentText;
  } else if (flags.bits == 0) {
    out += "[NO FLAGS]";
  }
  for (const Letter& letter : kLetters) {
    if ((flags.bits & letter.flag) != 0) out += letter.letter;
  }
}

constexpr std::array kColumns{
    InterfaceColumn{"Iface", 15, Align::left, put_name},
    InterfaceColumn{"MTU", 5, Align::right, put<schema::net["mtu"]>},
    InterfaceColumn{"RX-OK", 8, Align::right, put<schema::net["rx_packets"]>},
    InterfaceColumn{"RX-ERR", 6, Align::right, put<schema::net["rx_errors"]>},
    InterfaceColumn{"RX-DRP", 6, Align::right, put<schema::net["rx_dropped"]>},
    InterfaceColumn{"RX-OVR", 6, Align::left, put<schema::net["rx_fifo"]>},
    InterfaceColumn{"TX-OK", 8, Align::right, put<schema::net["tx_packets"]>},
    InterfaceColumn{"TX-ERR", 6, Align::right, put<schema::net["tx_errors"]>},
    InterfaceColumn{"TX-DRP", 6, Align::right, put<schema::net["tx_dropped"]>},
    InterfaceColumn{"TX-OVR", 6, Align::right, put<schema::net["tx_fifo"]>},
    InterfaceColumn{"Flg", 0, Align::left, put_flags, true},
};

/// Those to be shown, in the order of people: eth2 before eth10.
std::vector<Line> chosen(const Rows& interfaces, const NetstatOptions& options) {
  std::vector<Line> lines;
  for (size_t row = 0; row < interfaces.size(); ++row) {
    Line line{interfaces, row};
    Value flags = line.flags();
    // Where it is not known whether it is up, it is shown.
    if (options.all || !flags || (flags.bits & IFF_UP) != 0) lines.push_back(line);
  }
  std::vector<size_t> order(lines.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return strverscmp(std::string(lines[a].name()).c_str(), std::string(lines[b].name()).c_str()) <
           0;
  });
  std::vector<Line> sorted;
  for (size_t i : order)
    sorted.push_back(lines[i]);
  return sorted;
}

}  // namespace

std::string netstat_interfaces(const Rows& interfaces, const NetstatOptions& options) {
  return rows_text<Line>(kColumns, [lines = chosen(interfaces, options)](const auto& visit) {
    for (const Line& line : lines)
      visit(line);
  });
}

Json netstat_interfaces_json(const Rows& interfaces, const NetstatOptions& options) {
  Json json = Json::array();
  for (const Line& line : chosen(interfaces, options)) {
    Json one{{"device", line.name()}};
    for (Column column :
         {schema::net["mtu"], schema::net["rx_packets"], schema::net["rx_errors"],
          schema::net["rx_dropped"], schema::net["rx_fifo"], schema::net["tx_packets"],
          schema::net["tx_errors"], schema::net["tx_dropped"], schema::net["tx_fifo"]}) {
      one[std::string(metric_of(column).name)] = json_of(line.at(column));
    }
    Value flags = line.flags();
    if (flags) {
      Json words = Json::array();
      for (const Letter& letter : kLetters) {
        if ((flags.bits & letter.flag) != 0) words.push_back(letter.word);
      }
      one["flags"] = std::move(words);
    } else {
      one["flags"] = nullptr;
    }
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace tacho
