#include "collect/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "schema/recorder.h"

namespace tacho {
namespace {

/// More in one interval than anybody will read.
constexpr size_t kMostWaiting = 1000;

/// The text between `begin` and the first of `ends` behind it.
std::string_view between(std::string_view s, std::string_view begin, std::string_view ends) {
  size_t at = s.find(begin);
  if (at == std::string_view::npos) return {};
  s.remove_prefix(at + begin.size());
  return s.substr(0, s.find_first_of(ends));
}

class EventReader : public Reader {
 public:
  explicit EventReader(std::shared_ptr<EventLog> log) : log_(std::move(log)) {}
  TableId table() const override { return TableId::event; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    if (collecting.machine.is_live()) read_kernel_log(collecting);
    for (const Event& event : log_->take()) {
      size_t row = rows.append();
      int64_t when = event.realtime_ns != 0 ? event.realtime_ns : collecting.clock.realtime_ns;
      rows.set(row, schema::event["sequence"], ++sequence_);
      rows.set(row, schema::event["time"], static_cast<uint64_t>(when / 1000));
      rows.set_text(row, schema::event["kind"], event.kind);
      rows.set_text(row, schema::event["subject"], event.subject);
      rows.set_text(row, schema::event["detail"], event.detail);
      if (event.pid != 0) {
        rows.set(row, schema::event["pid"], event.pid);
      } else {
        rows.set_absent(row, schema::event["pid"], Absent::not_applicable);
      }
    }
    return {};
  }

 private:
  /// /dev/kmsg: one record per read (Documentation/ABI/testing/dev-kmsg):
  /// "priority,sequence,microseconds since boot,flags;message\n".
  void read_kernel_log(Collecting& collecting) {
    if (!kmsg_ && !refused_) {
      auto fd = open_file("/dev/kmsg", O_RDONLY | O_NONBLOCK);
      if (fd && lseek(fd->get(), 0, SEEK_END) >= 0) {
        kmsg_ = std::move(*fd);
      } else {
        refused_ = true;
      }
    }
    if (!kmsg_) return;
    std::array<char, 8192> record;
    for (size_t i = 0; i < kMostWaiting; ++i) {
      ssize_t got = ::read(kmsg_.get(), record.data(), record.size());
      if (got < 0 && (errno == EINTR || errno == EPIPE))
        continue;  // EPIPE: records were overwritten
      if (got <= 0) return;
      std::string_view text(record.data(), static_cast<size_t>(got));
      size_t semicolon = text.find(';');
      if (semicolon == std::string_view::npos) continue;
      auto fields = split(text.substr(0, semicolon), ',');
      std::string_view message = text.substr(semicolon + 1);
      Event event = classify_kernel_message(message.substr(0, message.find('\n')));
      if (event.kind.empty()) continue;
      auto us = fields.size() > 2 ? parse_u64(fields[2]) : std::nullopt;
      int64_t ago = us ? collecting.clock.monotonic_ns - static_cast<int64_t>(*us) * 1000 : 0;
      event.realtime_ns = collecting.clock.realtime_ns - ago;
      log_->add(std::move(event));
    }
  }

  std::shared_ptr<EventLog> log_;
  Fd kmsg_;
  bool refused_ = false;
  uint64_t sequence_ = 0;
};

}  // namespace

void EventLog::add(Event event) {
  std::lock_guard lock(mutex_);
  if (waiting_.size() < kMostWaiting) waiting_.push_back(std::move(event));
}

std::vector<Event> EventLog::take() {
  std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

bool EventLog::empty() const {
  std::lock_guard lock(mutex_);
  return waiting_.empty();
}

Event classify_kernel_message(std::string_view m) {
  Event event;
  event.detail = m;
  auto has = [&](std::string_view word) { return m.find(word) != std::string_view::npos; };
  if (has("Killed process ")) {
    event.kind = "oom_kill";
    event.pid = parse_u64(between(m, "Killed process ", " ,")).value_or(0);
    event.subject = between(m, "(", ")");
  } else if (has("NVRM: Xid")) {
    event.kind = "xid";
    event.subject = between(m, "(PCI:", ")");
    event.pid = parse_u64(between(m, "pid=", ", ")).value_or(0);
  } else if (has("soft lockup")) {
    event.kind = "soft_lockup";
    event.subject = between(m, "[", ":]");
  } else if (has("blocked for more than")) {
    event.kind = "hung_task";
    event.subject = between(m, "task ", ":");
  } else if (has("I/O error")) {
    event.kind = "io_error";
    event.subject = between(m, "dev ", ", ");
  } else if (has("Link is Up") || has("Link is up") || has("link becomes ready")) {
    event.kind = "link_up";
  } else if (has("Link is Down") || has("Link is down")) {
    event.kind = "link_down";
  }
  // "e1000e 0000:00:19.0 eth0: NIC Link is Up", "IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes
  // ready": the interface is the word before the last colon.
  if (event.kind.starts_with("link_")) {
    std::string_view name = m.substr(0, m.rfind(": "));
    event.subject = name.substr(name.rfind(' ') + 1);
  }
  return event;
}

std::unique_ptr<Reader> make_event_reader(std::shared_ptr<EventLog> log) {
  return std::make_unique<EventReader>(std::move(log));
}

}  // namespace tacho
