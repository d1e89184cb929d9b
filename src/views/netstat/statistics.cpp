// The counters of the protocols in words.
#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "schema/net.h"
#include "views/netstat/netstat.h"
#include "views/netstat/socket_rows.h"
#include "views/netstat/statistics_text.h"

namespace tacho {
namespace {

/// Which groups are shown for which protocols.
enum class For { always, tcp, udp, raw, nobody };

For shown_for(std::string_view group, bool inet6) {
  struct Group {
    std::string_view name;
    For shown;
    bool inet;
    bool inet6;
  };
  static constexpr std::array kGroups{
      Group{"Ip", For::raw, true, false},          Group{"Icmp", For::raw, true, false},
      Group{"Tcp", For::tcp, true, true},          Group{"Udp", For::udp, true, false},
      Group{"TcpExt", For::tcp, true, false},      Group{"Ip6", For::raw, false, true},
      Group{"Icmp6", For::raw, false, true},       Group{"Udp6", For::udp, false, true},
      Group{"UdpLite6", For::always, false, true}, Group{"IpExt", For::always, true, false},
  };
  auto found = std::ranges::find(kGroups, group, &Group::name);
  if (found == kGroups.end()) return inet6 ? For::nobody : For::always;
  return (inet6 ? found->inet6 : found->inet) ? found->shown : For::nobody;
}

/// Writes the groups one after the other; indents as the original does, which goes on with the
/// indentation of a histogram until the next group that it knows.
class Writer {
 public:
  void begin(std::string_view group, bool known) {
    out_ += escape_control(group);
    out_ += ":\n";
    if (known) inside_ = StatisticKind::some;
  }
  void counter(std::string_view group, std::string_view name, uint64_t value) {
    const StatisticText* words = statistic_text(group, name);
    StatisticKind kind = words == nullptr ? StatisticKind::some : words->kind;
    if (kind == StatisticKind::never) return;
    bool histogram = kind == StatisticKind::input || kind == StatisticKind::output;
    if (histogram && inside_ != kind) title(kind);
    if (words != nullptr) inside_ = histogram ? kind : StatisticKind::some;
    if (value == 0 && kind != StatisticKind::always) return;
    indent();
    std::string number = std::to_string(value);
    if (words == nullptr) {
      out_ += escape_control(name) + ": " + number;
    } else {
      size_t hole = words->text.find("{}");
      out_ += words->text.substr(0, hole);
      out_ += number;
      out_ += words->text.substr(hole + 2);
    }
    out_ += '\n';
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void indent() {
    out_.append(inside_ == StatisticKind::input || inside_ == StatisticKind::output ? 8 : 4, ' ');
  }
  void title(StatisticKind kind) {
    indent();
    out_ += kind == StatisticKind::input ? "ICMP input histogram:\n" : "ICMP output histogram:\n";
  }

  std::string out_;
  StatisticKind inside_ = StatisticKind::some;
};

}  // namespace

std::string netstat_statistics(const Rows& counters, const NetstatOptions& options) {
  bool inet6 = options.inet6 && !options.inet;
  auto is_shown = [&](std::string_view group) {
    switch (shown_for(group, inet6)) {
      case For::always:
        return true;
      case For::tcp:
        return options.tcp;
      case For::udp:
        return options.udp;
      case For::raw:
        return options.raw;
      case For::nobody:
        return false;
    }
    return false;
  };
  // Of IPv6 the original shows TCP, which is common to both, last.
  Writer writer;
  for (bool tcp : {false, true}) {
    std::string_view group;
    for (size_t row = 0; row < counters.size(); ++row) {
      std::string_view its = counters.text(row, schema::net_counter["group"]);
      if (!is_shown(its) || (inet6 ? its == "Tcp" : false) != tcp) continue;
      if (its != group) {
        group = its;
        bool known = its != "IcmpMsg" && its != "UdpLite" && its != "MPTcpExt";
        writer.begin(its, known);
      }
      writer.counter(its, counters.text(row, schema::net_counter["name"]),
                     counters.at(row, schema::net_counter["value"]).bits);
    }
  }
  return writer.take();
}

Json netstat_statistics_json(const Rows& counters) {
  Json json = Json::object();
  for (size_t row = 0; row < counters.size(); ++row) {
    std::string group(counters.text(row, schema::net_counter["group"]));
    std::string name(counters.text(row, schema::net_counter["name"]));
    Value value = counters.at(row, schema::net_counter["value"]);
    json[group][name] = value ? Json(static_cast<int64_t>(value.bits)) : Json(nullptr);
  }
  return json;
}

}  // namespace tacho
