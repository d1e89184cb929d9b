// The Internet sockets.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "render/number.h"
#include "schema/net.h"
#include "views/many_rows.h"
#include "views/netstat/netstat.h"
#include "views/netstat/socket_rows.h"

namespace tacho {
namespace {

/// What a line is made of.
struct Line {
  const Rows& sockets;
  SocketRow row;
  const NetstatNames& names;
  Endpoints& endpoints;
  std::unordered_map<uint64_t, std::string>& users;
};
using SocketColumn = ManyRowsColumn<Line>;

void put_protocol(const Line& l, std::string& out) {
  out += socket_family(l.row.family).shown;
}
void put_received(const Line& l, std::string& out) {
  put_value(out, l.sockets.at(l.row.row, schema::socket["recv_queue"]));
}
void put_sent(const Line& l, std::string& out) {
  put_value(out, l.sockets.at(l.row.row, schema::socket["send_queue"]));
}
void put_local(const Line& l, std::string& out) {
  l.endpoints.put_local(l.row, out);
}
void put_remote(const Line& l, std::string& out) {
  l.endpoints.put_remote(l.row, out);
}
void put_state(const Line& l, std::string& out) {
  tacho::put_state(out, l.sockets, l.row);
}
void put_user(const Line& l, std::string& out) {
  Value uid = l.sockets.at(l.row.row, schema::socket["uid"]);
  if (!uid || !l.names.user) return put_value(out, uid);
  auto [known, added] = l.users.try_emplace(uid.bits);
  if (added) {
    known->second = escape_control(l.names.user(uid.bits));
    if (known->second.empty()) known->second = std::to_string(uid.bits);
  }
  out += known->second;
}
void put_inode(const Line& l, std::string& out) {
  put_value(out, l.sockets.at(l.row.row, schema::socket["inode"]));
}
void put_owner(const Line& l, std::string& out) {
  put_program(out, l.sockets, l.row.row, schema::socket["pid"], schema::socket["program"]);
}

/// Number and word of struct inet_diag_msg, and what was sent how often meanwhile.
constexpr std::array<std::string_view, 5> kTimers{"off", "on", "keepalive", "timewait", "probe"};

void put_timer(const Line& l, std::string& out) {
  Value timer = l.sockets.at(l.row.row, schema::socket["timer"]);
  Value left = l.sockets.at(l.row.row, schema::socket["timer_left"]);
  Value sent = l.sockets.at(l.row.row, schema::socket["retransmits"]);
  if (!timer || !left || !sent) {
    out += kAbsentText;
    return;
  }
  // Keepalive and window probes count what was not answered, the others what was sent again.
  bool probes = timer.bits == 2 || timer.bits == 4;
  std::string word = timer.bits < kTimers.size() ? std::string(kTimers[timer.bits])
                                                 : fmt::format("unkn-{}", timer.bits);
  double seconds = timer.bits == 0 ? 0 : static_cast<double>(left.bits) / 1000;
  fmt::format_to(std::back_inserter(out), "{} ({:.2f}/{}/{})", word, seconds,
                 probes ? 0 : sent.bits, probes ? sent.bits : 0);
}

constexpr std::array kColumns{
    SocketColumn{"Proto", 5, Align::left, put_protocol},
    SocketColumn{"Recv-Q", 6, Align::right, put_received},
    SocketColumn{"Send-Q", 6, Align::right, put_sent},
    SocketColumn{"Local Address", 23, Align::left, put_local},
    SocketColumn{"Foreign Address", 23, Align::left, put_remote},
    SocketColumn{"State", 11, Align::left, put_state},
};
constexpr SocketColumn kUser{"User", 10, Align::left, put_user};
constexpr SocketColumn kInode{"Inode", 10, Align::left, put_inode};
constexpr SocketColumn kProgram{"PID/Program name", 20, Align::left, put_owner};
constexpr SocketColumn kTimer{"Timer", 0, Align::left, put_timer, true};

std::vector<SocketColumn> columns_of(const NetstatOptions& options) {
  std::vector<SocketColumn> columns(kColumns.begin(), kColumns.end());
  if (options.extended > 0) {
    columns.push_back(kUser);
    columns.push_back(kInode);
  }
  if (options.programs) columns.push_back(kProgram);
  if (options.timers) columns.push_back(kTimer);
  return columns;
}

Json timer_json(const Rows& sockets, size_t row) {
  Value timer = sockets.at(row, schema::socket["timer"]);
  if (!timer) return nullptr;
  Json json{{"name", timer.bits < kTimers.size() ? Json(kTimers[timer.bits]) : Json(timer.bits)}};
  json["seconds"] = to_json(sockets.number(row, schema::socket["timer_left"]));
  return json;
}

}  // namespace

Json socket_json(const Rows& sockets, const SocketRow& at) {
  auto text = [&](Column column) {
    Value value = sockets.at(at.row, column);
    return value ? Json(sockets.pool().view(value.bits)) : Json(nullptr);
  };
  auto number = [&](Column column) { return json_of(sockets.at(at.row, column)); };
  Json json{{"protocol", socket_family(at.family).name}};
  json["recv_queue"] = number(schema::socket["recv_queue"]);
  json["send_queue"] = number(schema::socket["send_queue"]);
  json["local_address"] = text(schema::socket["local_address"]);
  json["local_port"] = number(schema::socket["local_port"]);
  json["remote_address"] = text(schema::socket["remote_address"]);
  json["remote_port"] = number(schema::socket["remote_port"]);
  json["state"] = text(schema::socket["state"]);
  json["uid"] = number(schema::socket["uid"]);
  json["inode"] = number(schema::socket["inode"]);
  json["pid"] = number(schema::socket["pid"]);
  json["program"] = text(schema::socket["program"]);
  json["timer"] = timer_json(sockets, at.row);
  json["retransmits"] = number(schema::socket["retransmits"]);
  return json;
}

std::string_view netstat_extent(const NetstatOptions& options) {
  if (options.all) return "(servers and established)";
  return options.listening ? "(only servers)" : "(w/o servers)";
}

void netstat_sockets(const Rows& sockets, const NetstatOptions& options, const NetstatNames& names,
                     const TextSink& sink) {
  auto columns = columns_of(options);
  auto rows = socket_rows(sockets, options);
  Endpoints endpoints(sockets, names);
  std::unordered_map<uint64_t, std::string> users;
  sink(fmt::format("Active Internet connections {}\n", netstat_extent(options)));
  write_rows<Line>(
      columns,
      [&](const auto& visit) {
        for (const SocketRow& row : rows)
          visit(Line{sockets, row, names, endpoints, users});
      },
      sink);
}

Json netstat_sockets_json(const Rows& sockets, const NetstatOptions& options) {
  Json json = Json::array();
  for (const SocketRow& row : socket_rows(sockets, options))
    json.push_back(socket_json(sockets, row));
  return json;
}

bool owners_denied(const Rows& rows, Column pid) {
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.at(row, pid).absent == Absent::no_permission) return true;
  }
  return false;
}

std::optional<LeftOut> sockets_left_out(const Sample& sample) {
  const Rows* sockets = sample.rows(TableId::socket);
  const Rows* states = sample.rows(TableId::socket_state);
  if (sockets == nullptr || states == nullptr) return std::nullopt;
  LeftOut out;
  for (size_t row = 0; row < states->size(); ++row)
    out.all += states->at(row, schema::socket_state["sockets"]).bits;
  for (size_t row = 0; row < sockets->size(); ++row) {
    if (sockets->text(row, schema::socket["protocol"]).starts_with("tcp")) ++out.kept;
  }
  // Now and then the kernel tells of one twice: it is counted twice, but has one row.
  return out.all - std::min(out.kept, out.all) > out.all / 100 ? std::optional(out) : std::nullopt;
}

}  // namespace tacho
