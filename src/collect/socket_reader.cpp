#include "collect/socket_reader.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "collect/shape.h"
#include "collect/socket_scan.h"
#include "schema/net.h"

namespace tacho {
namespace {

/// A number of 1 to 8 bytes in the byte order of this machine; both the kernel and a capture of it
/// are little-endian on every machine we run on.
uint64_t number_at(const std::vector<char>& bytes, const Place& place) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + place.index, place.size);
  return value;
}

class SocketReader : public Reader {
 public:
  explicit SocketReader(std::shared_ptr<SocketScan> scan)
      : scan_(std::move(scan)), tcp_info_(bind(table_view(TableId::socket), schema::kTcpInfo)) {}
  TableId table() const override { return TableId::socket; }
  bool slow() const override { return true; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    auto dump = scan_->scan(collecting);
    if (!dump->outcome) return dump->outcome;
    std::unordered_multimap<uint64_t, size_t> seen;
    for (const KeptSocket& kept : dump->sockets) {
      size_t row = rows.append();
      fill(kept, rows, row);
      // The kernel walks its hash table while sockets move in it: one may be told twice.
      auto [begin, end] = seen.equal_range(rows.key_hash(row));
      bool twice = std::any_of(
          begin, end, [&](const auto& entry) { return rows.same_key(row, rows, entry.second); });
      if (twice) {
        rows.drop_last();
      } else {
        seen.emplace(rows.key_hash(row), row);
      }
    }
    return {};
  }

 private:
  void fill(const KeptSocket& kept, Rows& rows, size_t row) const {
    const SocketInfo& socket = kept.socket;
    bool listens = socket.state == SocketState::listen;
    bool time_wait = socket.state == SocketState::time_wait;
    rows.set_text(row, schema::socket["protocol"], name(socket.protocol));
    rows.set_text(row, schema::socket["local_address"],
                  address_text(socket.protocol, socket.local_address));
    rows.set(row, schema::socket["local_port"], socket.local_port);
    rows.set_text(row, schema::socket["remote_address"],
                  address_text(socket.protocol, socket.remote_address));
    rows.set(row, schema::socket["remote_port"], socket.remote_port);
    rows.set(row, schema::socket["inode"], socket.inode);
    rows.set_text(row, schema::socket["state"], name(socket.state));
    if (!is_tcp(socket.protocol) && socket.state == SocketState::close) {
      rows.set_absent(row, schema::socket["state"], Absent::not_applicable);  // not connected
    }
    rows.set(row, schema::socket["recv_queue"], socket.recv_queue);
    rows.set(row, schema::socket["send_queue"], socket.send_queue);
    if (listens && !socket.has_backlog) {
      rows.set_absent(row, schema::socket["send_queue"], Absent::not_supported);
    }
    rows.set(row, schema::socket["uid"], socket.uid);
    if (time_wait) rows.set_absent(row, schema::socket["uid"], Absent::not_applicable);
    if (kept.pid) {
      rows.set(row, schema::socket["pid"], kept.pid.bits);
    } else {
      rows.set_absent(row, schema::socket["pid"], kept.pid.absent);
    }
    rows.set(row, schema::socket["timer"], socket.timer);
    rows.set(row, schema::socket["timer_left"], socket.timer_left_ms);
    rows.set(row, schema::socket["retransmits"], socket.retransmits);
    bool has_info = is_tcp(socket.protocol) && !listens && !time_wait;
    fill_info(kept.info, has_info, rows, row);
  }

  void fill_info(const std::vector<char>& info, bool has_info, Rows& rows, size_t row) const {
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
                                             bool want_sockets) {
  return std::make_shared<SocketScan>(std::move(list), want_sockets);
}

std::unique_ptr<Reader> make_socket_reader(std::shared_ptr<SocketScan> scan) {
  return std::make_unique<SocketReader>(std::move(scan));
}

std::unique_ptr<Reader> make_socket_state_reader(std::shared_ptr<SocketScan> scan) {
  return std::make_unique<SocketStateReader>(std::move(scan));
}

}  // namespace tacho
