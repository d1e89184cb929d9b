// Rules of the network.
#include "schema/net.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "diagnose/rule.h"

namespace tacho {
namespace {

Outcome link_speed(const Span& span, const Thresholds& t) {
  bool seen = false;
  for (const std::string& device : span.instances(TableId::net)) {
    Number speed = span.gauge(schema::net["speed"], device).mean();
    Number most = span.gauge(schema::net["max_speed"], device).mean();
    if (!speed || !most) continue;
    seen = true;
    if (*speed >= *most) continue;
    Finding finding = found(span, t, "net.link_speed");
    // A slow link that carries nothing slows nobody.
    Number use = span.figure("net.use_share", device).mean();
    bool used = use.value_or(0) >= 20;
    finding.severity = used ? Severity::critical : Severity::warning;
    finding.score = used ? 0.75 : 0.25;
    finding.culprit = Culprit{"device", 0, device, ""};
    finding.title = {"{} runs at {} Mbit/s though it supports {}",
                     {device, figure_text(*speed / 1e6), figure_text(*most / 1e6)}};
    finding.evidence.push_back(
        {"negotiated {} Mbit/s of {}, {} % of it in use",
         {figure_text(*speed / 1e6), figure_text(*most / 1e6), figure_text(use.value_or(0))}});
    finding.advice.push_back(
        "look at the cable, the port and the switch; ethtool shows what the other side offers");
    return finding;
  }
  if (!seen) return Message{};
  return Message{"every link runs at the highest speed it supports"};
}

std::string socket_name(const Rows& rows, size_t row) {
  return fmt::format("{}:{} to {}:{}", rows.text(row, schema::socket["local_address"]),
                     rows.at(row, schema::socket["local_port"]).bits,
                     rows.text(row, schema::socket["remote_address"]),
                     rows.at(row, schema::socket["remote_port"]).bits);
}

/// A queue that stays in one socket: the same socket in several windows.
Outcome queue(const Span& span, const Thresholds& t, std::string_view cause, Column column,
              const Message& title, const char* advice) {
  std::map<std::string, Series> sockets;
  bool seen = false;
  int64_t last_read = 0;
  for (const Window& window : span.windows()) {
    const TableWindow& table = window.table(TableId::socket);
    if (table.rows() == nullptr || table.rows()->absent != Absent::no) continue;
    seen = true;
    if (table.rows()->read_ns == last_read) continue;  // not read again: the same queue, seen once
    last_read = table.rows()->read_ns;
    for (size_t row = 0; row < table.size(); ++row) {
      if (table.text(row, schema::socket["state"]) != "ESTABLISHED") continue;
      Number bytes = table.gauge(row, column);
      const Rows& rows = *table.rows();
      std::string name = socket_name(rows, row);
      sockets[name].add(window, bytes);
    }
  }
  auto stays = [&](double bytes) { return bytes >= t.queue_bytes; };
  for (const auto& [name, series] : sockets) {
    if (series.points().size() < 2 || series.count(stays) != series.points().size()) continue;
    Finding finding = found(span, t, cause);
    finding.score = 0.5;
    finding.since_ns = since(series, t, stays);
    finding.culprit = Culprit{"socket", 0, name, ""};
    finding.title = {title.id, {name}};
    finding.evidence.push_back(
        {"{} KiB on average, in every look at it", {figure_text(*series.mean() / 1024)}});
    finding.advice.push_back(advice);
    return finding;
  }
  if (!seen) return Message{};
  return Message{"no socket's queue stays full"};
}

Outcome recv_queue(const Span& span, const Thresholds& t) {
  return queue(span, t, "net.recv_queue", schema::socket["recv_queue"], "data waits to be read: {}",
               "the program does not read fast enough: look at what it does instead");
}

Outcome send_queue(const Span& span, const Thresholds& t) {
  return queue(span, t, "net.send_queue", schema::socket["send_queue"], "data waits to be sent: {}",
               "the network or the other side is slow: look at its link and at its receive queue");
}

Outcome ports(const Span& span, const Thresholds& t) {
  Number first = span.gauge(schema::tcp["port_first"]).mean();
  Number last = span.gauge(schema::tcp["port_last"]).mean();
  Series waiting = span.gauge(schema::tcp["time_wait"]);
  if (!first || !last || !waiting.mean() || *last < *first) return Message{};
  double range = *last - *first + 1;
  auto many = [&](double sockets) { return sockets * 100 >= t.ports_used * range; };
  if (!persists(waiting, t, many)) {
    return Message{"{} connections in TIME_WAIT, of {} local ports",
                   {figure_text(*waiting.mean()), figure_text(range)}};
  }
  Finding finding = found(span, t, "net.ports");
  finding.severity = Severity::critical;
  finding.score = 0.7;
  finding.since_ns = since(waiting, t, many);
  finding.title = "local ports run out: connections in TIME_WAIT hold them";
  finding.evidence.push_back({"{} connections in TIME_WAIT, of {} local ports",
                              {figure_text(*waiting.mean()), figure_text(range)}});
  finding.advice.push_back(
      "keep connections open and reuse them (one client for all files), or widen "
      "net.ipv4.ip_local_port_range");
  return finding;
}

}  // namespace

std::span<const Rule> net_rules() {
  static constexpr std::array kRules{
      Rule{"net.ports", 50, ports},
      Rule{"net.link_speed", 51, link_speed},
      Rule{"net.recv_queue", 52, recv_queue},
      Rule{"net.send_queue", 53, send_queue},
  };
  return kRules;
}

}  // namespace tacho
