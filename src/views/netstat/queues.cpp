// The sockets that have something queued, and for how long they have had it.
#include <algorithm>
#include <unordered_map>

#include "base/clock.h"
#include "render/number.h"
#include "schema/net.h"
#include "views/many_rows.h"
#include "views/netstat/netstat.h"
#include "views/netstat/socket_rows.h"

namespace tacho {
namespace {

/// What happened between two samples is only known while they are not far apart.
constexpr int64_t kLongestGap = 60 * kSecond;

/// Bytes not read or not acknowledged; of a listener, connections not accepted: its Send-Q is no
/// queue but how long the other may get.
uint64_t queued(const Rows& sockets, size_t row) {
  uint64_t received = sockets.at(row, schema::socket["recv_queue"]).bits;
  bool listens = sockets.text(row, schema::socket["state"]) == "LISTEN";
  uint64_t sent = listens ? 0 : sockets.at(row, schema::socket["send_queue"]).bits;
  return std::max(received, sent);
}

/// The key of a socket as text: it holds across samples, whatever their text pools.
std::string key_of(const Rows& sockets, size_t row) {
  std::string key;
  for (uint16_t column : sockets.layout().keys) {
    Value value = sockets.at(row, column);
    bool is_text = sockets.layout().columns[column].type == Type::text;
    key += is_text ? std::string(sockets.pool().view(value.bits)) : std::to_string(value.bits);
    key += ' ';
  }
  return key;
}

struct Line {
  const Rows& sockets;
  SocketRow row;
  Endpoints& endpoints;
  std::optional<double> seconds;
};
using QueueColumn = ManyRowsColumn<Line>;

template <Column column>
void put(const Line& l, std::string& out) {
  put_value(out, l.sockets.at(l.row.row, column));
}
void put_protocol(const Line& l, std::string& out) {
  out += socket_family(l.row.family).shown;
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
void put_owner(const Line& l, std::string& out) {
  put_program(out, l.sockets, l.row.row, schema::socket["pid"], schema::socket["program"]);
}
/// Of the segment that is sent again now, and of all, as ss(8) has it.
void put_retransmits(const Line& l, std::string& out) {
  put_value(out, l.sockets.at(l.row.row, schema::socket["retransmits"]));
  out += '/';
  put_value(out, l.sockets.at(l.row.row, schema::socket["retransmits_total"]));
}
void put_since(const Line& l, std::string& out) {
  out += l.seconds ? format_seconds(*l.seconds) : kAbsentText;
}

constexpr std::array kColumns{
    QueueColumn{"Proto", 5, Align::left, put_protocol},
    QueueColumn{"Recv-Q", 6, Align::right, put<schema::socket["recv_queue"]>},
    QueueColumn{"Send-Q", 6, Align::right, put<schema::socket["send_queue"]>},
    QueueColumn{"Local Address", 23, Align::left, put_local},
    QueueColumn{"Foreign Address", 23, Align::left, put_remote},
    QueueColumn{"State", 11, Align::left, put_state},
    QueueColumn{"For", 8, Align::right, put_since},
    QueueColumn{"Retrans", 7, Align::right, put_retransmits},
    QueueColumn{"PID/Program name", 0, Align::left, put_owner, true},
};

}  // namespace

NetstatQueues::NetstatQueues(SamplePtr sample, const NetstatOptions& options)
    : sample_(std::move(sample)) {
  const Rows* sockets = sample_->rows(TableId::socket);
  looked_ns_ = sockets->read_ns;
  NetstatOptions all = options;
  all.all = true;
  for (const SocketRow& row : socket_rows(*sockets, all)) {
    uint64_t length = queued(*sockets, row.row);
    if (length > 0) queues_.push_back({row.row, row.family, length, std::nullopt, false});
  }
  std::ranges::stable_sort(queues_, std::greater{}, &Queue::length);
}

bool NetstatQueues::look_back(const Sample& earlier) {
  const Rows* now = sample_->rows(TableId::socket);
  const Rows* then = earlier.rows(TableId::socket);
  if (then == nullptr || then->absent != Absent::no) return false;
  // Another boot, or a time of which nothing is known.
  int64_t before_ns = looked_ns_ - then->read_ns;
  if (before_ns < 0 || before_ns > kLongestGap) return false;
  if (then->read_ns == looked_ns_ && looked_back_) return !settled();
  looked_ns_ = then->read_ns;
  looked_back_ = true;
  std::unordered_map<std::string, size_t> queues_then;
  for (size_t row = 0; row < then->size(); ++row) {
    if (queued(*then, row) > 0) queues_then.emplace(key_of(*then, row), row);
  }
  int64_t age = earlier.clock.monotonic_ns - then->read_ns;
  for (Queue& queue : queues_) {
    if (queue.settled) continue;
    if (queues_then.contains(key_of(*now, queue.row))) {
      queue.since_ns = earlier.clock.realtime_ns - age;
    } else {
      queue.settled = true;
    }
  }
  return !settled();
}

bool NetstatQueues::settled() const {
  return std::ranges::all_of(queues_, &Queue::settled);
}

std::optional<double> NetstatQueues::seconds(const Queue& queue) const {
  if (!queue.since_ns) return std::nullopt;
  return static_cast<double>(sample_->clock.realtime_ns - *queue.since_ns) / kSecond;
}

std::string NetstatQueues::text(const NetstatNames& names) const {
  const Rows* sockets = sample_->rows(TableId::socket);
  Endpoints endpoints(*sockets, names);
  return rows_text<Line>(kColumns, [&](const auto& visit) {
    for (const Queue& queue : queues_) {
      SocketRow row{static_cast<uint32_t>(queue.row), queue.family};
      visit(Line{*sockets, row, endpoints, seconds(queue)});
    }
  });
}

Json NetstatQueues::json() const {
  Json json = Json::array();
  const Rows* sockets = sample_->rows(TableId::socket);
  for (const Queue& queue : queues_) {
    Json one = socket_json(*sockets, {static_cast<uint32_t>(queue.row), queue.family});
    auto since = seconds(queue);
    one["retransmits_total"] = json_of(sockets->at(queue.row, schema::socket["retransmits_total"]));
    one["queued_seconds"] = since ? Json(*since) : Json(nullptr);
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace tacho
