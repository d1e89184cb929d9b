#include "views/netstat/socket_rows.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "render/number.h"
#include "schema/net.h"

namespace tacho {
namespace {

constexpr std::array<SocketFamily, kSocketFamilies> kFamilies{{
    {"tcp", "tcp", "tcp", false},
    {"tcp6", "tcp6", "tcp", true},
    {"udp", "udp", "udp", false},
    {"udp6", "udp6", "udp", true},
    {"udplite", "udpl", "udp", false},
    {"udplite6", "udpl6", "udp", true},
    {"raw", "raw", "raw", false},
    {"raw6", "raw6", "raw", true},
}};

/// Families by the text id of their name, each compared once.
class FamilyIndex {
 public:
  explicit FamilyIndex(const Rows& sockets) : sockets_(sockets) {}

  size_t of(size_t row) {
    uint64_t id = sockets_.at(row, schema::socket["protocol"]).bits;
    if (id != id_) {
      id_ = id;
      std::string_view name = sockets_.pool().view(id);
      family_ = 0;
      while (family_ < kFamilies.size() && kFamilies[family_].name != name)
        ++family_;
    }
    return family_;
  }

 private:
  const Rows& sockets_;
  uint64_t id_ = UINT64_MAX;
  size_t family_ = 0;
};

bool is_wanted(size_t family, const NetstatOptions& options) {
  if (family >= kFamilies.size()) return false;
  const SocketFamily& f = kFamilies[family];
  if (!(f.is_v6 ? options.inet6 : options.inet)) return false;
  if (f.service == "tcp") return options.tcp;
  if (f.service == "raw") return options.raw;
  return f.shown.starts_with("udpl") ? options.udplite : options.udp;
}

bool has_peer(const Rows& sockets, size_t row, bool is_tcp) {
  if (is_tcp) return sockets.at(row, schema::socket["remote_port"]).bits != 0;
  std::string_view remote = sockets.text(row, schema::socket["remote_address"]);
  return remote != "0.0.0.0" && remote != "::";
}

}  // namespace

const SocketFamily& socket_family(size_t index) {
  return kFamilies[index];
}

std::vector<SocketRow> socket_rows(const Rows& sockets, const NetstatOptions& options) {
  FamilyIndex families(sockets);
  std::array<std::vector<SocketRow>, 2 * kSocketFamilies> parts;
  uint64_t listen = UINT64_MAX;  // the text id of LISTEN
  for (size_t row = 0; row < sockets.size(); ++row) {
    size_t family = families.of(row);
    if (!is_wanted(family, options)) continue;
    bool is_tcp = kFamilies[family].service == "tcp";
    if (!options.all && has_peer(sockets, row, is_tcp) == options.listening) continue;
    Value state = sockets.at(row, schema::socket["state"]);
    if (state && state.bits != listen && sockets.pool().view(state.bits) == "LISTEN") {
      listen = state.bits;
    }
    bool listens = state && state.bits == listen;
    parts[2 * family + (listens ? 0 : 1)].push_back(
        {static_cast<uint32_t>(row), static_cast<uint8_t>(family)});
  }
  std::vector<SocketRow> rows;
  for (const auto& part : parts)
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

void Endpoints::put_local(const SocketRow& row, std::string& out) {
  put(row, schema::socket["local_address"], schema::socket["local_port"], out);
}
void Endpoints::put_remote(const SocketRow& row, std::string& out) {
  put(row, schema::socket["remote_address"], schema::socket["remote_port"], out);
}

void Endpoints::put(const SocketRow& row, Column address, Column port, std::string& out) {
  const SocketFamily& family = kFamilies[row.family];
  std::string_view text = sockets_.text(row.row, address);
  std::string_view shown = text;
  // An IPv4 address in an IPv6 socket is shown as what it is.
  constexpr std::string_view kMapped = "::ffff:";
  if (text.starts_with(kMapped) && text.find('.') != std::string_view::npos) {
    shown.remove_prefix(kMapped.size());
  }
  if (names_.host) {
    auto [known, added] = hosts_.try_emplace(sockets_.at(row.row, address).bits);
    if (added) {
      known->second = escape_control(names_.host(text, family.is_v6));
      if (known->second.empty()) known->second = shown;
    }
    shown = known->second;
  }
  out += shown;
  out += ':';
  uint64_t number = sockets_.at(row.row, port).bits;
  if (number == 0) {
    out += '*';
  } else if (!names_.port) {
    put_number(out, number);
  } else {
    auto [known, added] = ports_.try_emplace(number * kSocketFamilies + row.family);
    if (added) {
      known->second = escape_control(names_.port(number, family.service));
      if (known->second.empty()) known->second = std::to_string(number);
    }
    out += known->second;
  }
}

void put_number(std::string& out, uint64_t value) {
  std::array<char, 20> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), static_cast<size_t>(end - digits.data()));
}

void put_value(std::string& out, Value value) {
  value ? put_number(out, value.bits) : void(out += kAbsentText);
}

void put_escaped(std::string& out, std::string_view text) {
  bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '\\'; });
  plain ? void(out += text) : void(out += escape_control(text));
}

Json json_of(Value value) {
  return value ? Json(value.bits) : Json(nullptr);
}

void put_program(std::string& out, const Rows& rows, size_t row, Column pid, Column program) {
  Value value = rows.at(row, pid);
  put_value(out, value);
  if (!value) return;
  out += '/';
  Value text = rows.at(row, program);
  if (text) {
    put_escaped(out, rows.pool().view(text.bits));
  } else {
    out += kAbsentText;
  }
}

void put_state(std::string& out, const Rows& sockets, const SocketRow& row) {
  Value state = sockets.at(row.row, schema::socket["state"]);
  bool no_state = state.absent == Absent::not_applicable;
  if (!state && !no_state) {
    out += kAbsentText;
  } else if (kFamilies[row.family].service == "raw") {
    out += state && sockets.pool().view(state.bits) == "ESTABLISHED" ? '1' : '7';
  } else if (state) {
    out += sockets.pool().view(state.bits);
  }
}

}  // namespace tacho
