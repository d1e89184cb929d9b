#include "collect/socket_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "collect/shape.h"
#include "collect/socket_scan.h"
#include "schema/net.h"

namespace tacho {
namespace {

/// A number of 1 to 8 bytes in the byte order of this machine; both the kernel and a capture of it
/// are little-endian on every machine we run on.
uint64_t number_at(std::string_view bytes, const Place& place) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + place.index, place.size);
  return value;
}

/// Gives addresses their text ids; of those seen lately without making the text again.
class AddressTexts {
 public:
  explicit AddressTexts(TextPool& pool) : pool_(pool) {}

  uint64_t id(SocketProtocol protocol, const std::array<unsigned char, 16>& address) {
    std::array<uint64_t, 2> halves{};
    std::memcpy(halves.data(), address.data(), sizeof(halves));
    uint64_t hash = (halves[0] ^ (halves[1] * 0x9e3779b97f4a7c15)) * 0xff51afd7ed558ccd;
    Known& known = known_[hash >> 56];
    if (!known.used || known.halves != halves || known.is_v6 != is_v6(protocol)) {
      known = {halves, pool_.intern(address_text(protocol, address)), is_v6(protocol), true};
    }
    return known.id;
  }

 private:
  struct Known {
    std::array<uint64_t, 2> halves{};
    uint64_t id = 0;
    bool is_v6 = false;
    bool used = false;
  };
  TextPool& pool_;
  std::array<Known, 256> known_{};
};

/// The rows by key, to find those that are there twice.
class SeenRows {
 public:
  explicit SeenRows(size_t expected) : slots_(std::bit_ceil(expected * 2 + 16), kFree) {}

  /// False where another row has the key of this one, the last one.
  bool add(const Rows& rows, size_t row) {
    if (row * 2 > slots_.size()) {
      slots_.assign(slots_.size() * 2, kFree);
      for (size_t earlier = 0; earlier < row; ++earlier)
        place(rows, earlier);
    }
    return place(rows, row);
  }

 private:
  bool place(const Rows& rows, size_t row) {
    size_t mask = slots_.size() - 1;
    size_t at = rows.key_hash(row) & mask;
    for (; slots_[at] != kFree; at = (at + 1) & mask) {
      if (rows.same_key(row, rows, slots_[at])) return false;
    }
    slots_[at] = static_cast<uint32_t>(row);
    return true;
  }

  static constexpr uint32_t kFree = UINT32_MAX;
  std::vector<uint32_t> slots_;
};

/// About how many sockets there are, by /proc/net/sockstat: so that room for them is made once.
size_t expected_sockets(Collecting& collecting) {
  size_t expected = 64;
  for (const char* path : {"proc/net/sockstat", "proc/net/sockstat6"}) {
    auto text = collecting.machine.read(path, collecting.buffer);
    std::string_view line;
    while (text && next_line(*text, line)) {
      for (std::string_view word; !(word = next_field(line)).empty();) {
        if (word == "inuse" || word == "tw") {
          expected += parse_u64(next_field(line)).value_or(0);
        }
      }
    }
  }
  constexpr size_t kMost = 4'000'000;  // what a file says is not believed without bounds
  return std::min(expected + expected / 16, kMost);
}

/// What is the same in many rows has its text id made once.
struct TextIds {
  explicit TextIds(TextPool& texts) : pool(texts), addresses(texts) {
    for (SocketProtocol protocol : kSocketProtocols)
      protocols[static_cast<size_t>(protocol)] = pool.intern(name(protocol));
    for (size_t i = 0; i < states.size(); ++i)
      states[i] = pool.intern(name(static_cast<SocketState>(i)));
  }
  /// Of the process `pid`.
  uint64_t program(uint64_t pid, std::string_view text) {
    auto [known, added] = programs.try_emplace(pid);
    if (added) known->second = pool.intern(text);
    return known->second;
  }

  TextPool& pool;
  std::array<uint64_t, kSocketProtocols.size()> protocols{};
  std::array<uint64_t, static_cast<size_t>(SocketState::new_syn_recv) + 1> states{};
  std::unordered_map<uint64_t, uint64_t> programs;  ///< by pid
  AddressTexts addresses;
};

class SocketReader : public Reader {
 public:
  explicit SocketReader(std::shared_ptr<SocketScan> scan)
      : scan_(std::move(scan)), tcp_info_(bind(table_view(TableId::socket), schema::kTcpInfo)) {}
  TableId table() const override { return TableId::socket; }
  bool slow() const override { return true; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    TextIds ids(*rows.pool_ptr());
    // The kernel walks its hash table while sockets move in it: one may be told twice.
    auto add = [&](SeenRows& seen, const SocketInfo& socket, Value pid, std::string_view program) {
      size_t row = rows.append();
      fill(socket, ids, rows, row);
      fill_owner(pid, program, ids, rows, row);
      if (!seen.add(rows, row)) rows.drop_last();
    };
    if (scan_->is_direct()) {
      auto held = scan_->holders(collecting);
      size_t expected = expected_sockets(collecting);
      rows.reserve(expected);
      SeenRows seen(expected);
      return scan_->visit(collecting.machine, [&](const SocketInfo& socket) {
        if (held) {
          auto known = held->of(socket.inode);
          add(seen, socket, known.pid, known.program);
        } else {
          add(seen, socket, {0, Absent::not_read}, {});
        }
      });
    }
    auto dump = scan_->scan(collecting);
    if (!dump->outcome) return dump->outcome;
    SeenRows seen(dump->sockets.size());
    for (const KeptSocket& kept : dump->sockets) {
      SocketInfo socket = kept.socket;
      socket.tcp_info = {kept.info.data(), kept.info.size()};
      add(seen, socket, kept.pid, dump->programs[kept.program]);
    }
    return {};
  }

 private:
  void fill(const SocketInfo& socket, TextIds& ids, Rows& rows, size_t row) const {
    SocketProtocol protocol = socket.protocol;
    bool listens = socket.state == SocketState::listen;
    bool time_wait = socket.state == SocketState::time_wait;
    rows.set(row, schema::socket["protocol"], ids.protocols[static_cast<size_t>(protocol)]);
    rows.set(row, schema::socket["local_address"],
             ids.addresses.id(protocol, socket.local_address));
    rows.set(row, schema::socket["local_port"], socket.local_port);
    rows.set(row, schema::socket["remote_address"],
             ids.addresses.id(protocol, socket.remote_address));
    rows.set(row, schema::socket["remote_port"], socket.remote_port);
    rows.set(row, schema::socket["inode"], socket.inode);
    rows.set(row, schema::socket["state"], ids.states[static_cast<size_t>(socket.state)]);
    if (!is_tcp(protocol) && socket.state == SocketState::close) {
      rows.set_absent(row, schema::socket["state"], Absent::not_applicable);  // not connected
    }
    rows.set(row, schema::socket["recv_queue"], socket.recv_queue);
    rows.set(row, schema::socket["send_queue"], socket.send_queue);
    if (listens && !socket.has_backlog) {
      rows.set_absent(row, schema::socket["send_queue"], Absent::not_supported);
    }
    rows.set(row, schema::socket["uid"], socket.uid);
    if (time_wait) rows.set_absent(row, schema::socket["uid"], Absent::not_applicable);
    rows.set(row, schema::socket["timer"], socket.timer);
    rows.set(row, schema::socket["timer_left"], socket.timer_left_ms);
    rows.set(row, schema::socket["retransmits"], socket.retransmits);
    bool has_info = is_tcp(protocol) && !listens && !time_wait;
    fill_info(socket.tcp_info, has_info, rows, row);
  }

  static void fill_owner(Value pid, std::string_view program, TextIds& ids, Rows& rows,
                         size_t row) {
    if (!pid) {
      rows.set_absent(row, schema::socket["pid"], pid.absent);
      rows.set_absent(row, schema::socket["program"], pid.absent);
      return;
    }
    rows.set(row, schema::socket["pid"], pid.bits);
    rows.set(row, schema::socket["program"], ids.program(pid.bits, program));
    if (program.empty()) rows.set_absent(row, schema::socket["program"], Absent::gone);
  }

  void fill_info(std::string_view info, bool has_info, Rows& rows, size_t row) const {
    if (has_info && info.empty() && !scan_->wants_tcp_info()) return;  // not read
    for (const Binding& binding : tcp_info_) {
      uint16_t column = binding.target.column;
      size_t end = size_t{binding.place.index} + binding.place.size;
      if (!has_info) {
        rows.set_absent(row, column, Absent::not_applicable);
      } else if (end > info.size() || binding.place.size > sizeof(uint64_t)) {
        rows.set_absent(row, column, Absent::not_supported);
      } else {
        rows.set(row, column, number_at(info, binding.place));
      }
    }
    // The kernel's words for "not measured yet".
    Value rtt = rows.at(row, schema::socket["rtt"]);
    if (rtt && rtt.bits == 0) {
      rows.set_absent(row, schema::socket["rtt"], Absent::not_applicable);
    }
    Value min_rtt = rows.at(row, schema::socket["min_rtt"]);
    if (min_rtt && min_rtt.bits == UINT32_MAX) {
      rows.set_absent(row, schema::socket["min_rtt"], Absent::not_applicable);
    }
  }

  std::shared_ptr<SocketScan> scan_;
  std::vector<Binding> tcp_info_;
};

class SocketStateReader : public Reader {
 public:
  explicit SocketStateReader(std::shared_ptr<SocketScan> scan) : scan_(std::move(scan)) {}
  TableId table() const override { return TableId::socket_state; }
  bool slow() const override { return true; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    auto dump = scan_->scan(collecting);
    if (!dump->outcome) return dump->outcome;
    for (const auto& [group, sum] : dump->groups) {
      size_t row = rows.append();
      rows.set_text(row, schema::socket_state["protocol"], name(group.protocol));
      rows.set_text(row, schema::socket_state["state"], name(group.state));
      rows.set(row, schema::socket_state["local_port"], group.port);
      rows.set(row, schema::socket_state["sockets"], sum.sockets);
      rows.set(row, schema::socket_state["recv_queue"], sum.recv_queue);
      if (sum.has_backlog) {
        rows.set(row, schema::socket_state["send_queue"], sum.send_queue);
      } else {
        rows.set_absent(row, schema::socket_state["send_queue"], Absent::not_supported);
      }
    }
    return {};
  }

 private:
  std::shared_ptr<SocketScan> scan_;
};

}  // namespace

std::shared_ptr<SocketScan> make_socket_scan(std::shared_ptr<const WatchList> list,
                                             const SocketWants& wants) {
  return std::make_shared<SocketScan>(std::move(list), wants);
}

std::unique_ptr<Reader> make_socket_reader(std::shared_ptr<SocketScan> scan) {
  return std::make_unique<SocketReader>(std::move(scan));
}

std::unique_ptr<Reader> make_socket_state_reader(std::shared_ptr<SocketScan> scan) {
  return std::make_unique<SocketStateReader>(std::move(scan));
}

}  // namespace tacho
