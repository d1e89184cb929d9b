// The UNIX domain sockets.
#include <fmt/format.h>
#include <sys/socket.h>

#include <array>

#include "base/text.h"
#include "schema/net.h"
#include "views/many_rows.h"
#include "views/netstat/netstat.h"
#include "views/netstat/socket_rows.h"

namespace tacho {
namespace {

// linux/net.h
constexpr uint64_t kAccepts = 1U << 16;
constexpr uint64_t kWaitsForData = 1U << 17;
constexpr uint64_t kNoSpace = 1U << 18;
constexpr uint64_t kUnconnected = 1;

struct Line {
  const Rows& sockets;
  size_t row;

  [[nodiscard]] Value at(Column column) const { return sockets.at(row, column); }
};
using UnixColumn = ManyRowsColumn<Line>;

std::string_view type_of(const Line& l) {
  switch (l.at(schema::socket_unix["type"]).bits) {
    case SOCK_STREAM:
      return "STREAM";
    case SOCK_DGRAM:
      return "DGRAM";
    case SOCK_RAW:
      return "RAW";
    case SOCK_RDM:
      return "RDM";
    case SOCK_SEQPACKET:
      return "SEQPACKET";
    default:
      return "UNKNOWN";
  }
}

bool listens(const Line& l) {
  return l.at(schema::socket_unix["state"]).bits == kUnconnected &&
         (l.at(schema::socket_unix["flags"]).bits & kAccepts) != 0;
}

/// Empty for what is not connected and does not listen.
std::string_view state_of(const Line& l) {
  constexpr std::array<std::string_view, 5> kStates{"FREE", "", "CONNECTING", "CONNECTED",
                                                    "DISCONNECTING"};
  uint64_t state = l.at(schema::socket_unix["state"]).bits;
  if (listens(l)) return "LISTENING";
  return state < kStates.size() ? kStates[state] : "UNKNOWN";
}

void put_protocol(const Line&, std::string& out) {
  out += "unix";
}
void put_references(const Line& l, std::string& out) {
  put_value(out, l.at(schema::socket_unix["references"]));
}
void put_flags(const Line& l, std::string& out) {
  uint64_t flags = l.at(schema::socket_unix["flags"]).bits;
  out += "[ ";
  if ((flags & kAccepts) != 0) out += "ACC ";
  if ((flags & kWaitsForData) != 0) out += "W ";
  if ((flags & kNoSpace) != 0) out += "N ";
  out += ']';
}
void put_type(const Line& l, std::string& out) {
  out += type_of(l);
}
void put_state(const Line& l, std::string& out) {
  out += state_of(l);
}
void put_inode(const Line& l, std::string& out) {
  put_value(out, l.at(schema::socket_unix["inode"]));
}
void put_owner(const Line& l, std::string& out) {
  put_program(out, l.sockets, l.row, schema::socket_unix["pid"], schema::socket_unix["program"]);
}
void put_path(const Line& l, std::string& out) {
  out += escape_control(l.sockets.text(l.row, schema::socket_unix["path"]));
}

constexpr std::array kColumns{
    UnixColumn{"Proto", 5, Align::left, put_protocol},
    UnixColumn{"RefCnt", 6, Align::left, put_references},
    UnixColumn{"Flags", 11, Align::left, put_flags},
    UnixColumn{"Type", 10, Align::left, put_type},
    UnixColumn{"State", 13, Align::left, put_state},
    UnixColumn{"I-Node", 8, Align::left, put_inode},
    UnixColumn{"PID/Program name", 20, Align::left, put_owner},
    UnixColumn{"Path", 0, Align::left, put_path, true},
};

template <typename Visit>
void visit_rows(const Rows& sockets, const NetstatOptions& options, const Visit& visit) {
  for (size_t row = 0; row < sockets.size(); ++row) {
    Line line{sockets, row};
    if (options.all || listens(line) == options.listening) visit(line);
  }
}

}  // namespace

std::string netstat_unix(const Rows& sockets, const NetstatOptions& options) {
  std::vector<UnixColumn> columns;
  for (const UnixColumn& column : kColumns) {
    if (column.put != put_owner || options.programs) columns.push_back(column);
  }
  return fmt::format(
      "Active UNIX domain sockets {}\n{}", netstat_extent(options),
      rows_text<Line>(columns, [&](const auto& visit) { visit_rows(sockets, options, visit); }));
}

Json netstat_unix_json(const Rows& sockets, const NetstatOptions& options) {
  Json json = Json::array();
  visit_rows(sockets, options, [&](const Line& line) {
    auto text = [&](Column column) {
      Value value = line.at(column);
      return value ? Json(sockets.pool().view(value.bits)) : Json(nullptr);
    };
    Json one{{"references", json_of(line.at(schema::socket_unix["references"]))},
             {"type", type_of(line)},
             {"state", state_of(line).empty() ? Json(nullptr) : Json(state_of(line))},
             {"inode", json_of(line.at(schema::socket_unix["inode"]))},
             {"path", text(schema::socket_unix["path"])},
             {"pid", json_of(line.at(schema::socket_unix["pid"]))},
             {"program", text(schema::socket_unix["program"])}};
    json.push_back(std::move(one));
  });
  return json;
}

}  // namespace tacho
