#include "recorder/loop.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "collect/event_log.h"
#include "collect/tree.h"
#include "recorder/control.h"

namespace tacho {
namespace {

using nlohmann::json;

constexpr size_t kNotesKept = 20;

std::string refuse(std::string why) {
  return json{{"ok", false}, {"error", std::move(why)}}.dump();
}

}  // namespace

RecorderLoop::RecorderLoop(std::shared_ptr<Machine> machine, const RecorderOptions& options)
    : options_(options),
      protections_(options.protect ? protect_this_process() : std::vector<Protection>{}),
      collector_(std::move(machine), Selection::all()),
      schedule_(options.writer.interval_ns) {
  counters_.interval_ns = options.writer.interval_ns;
  collector_.add(make_self_reader(counters_));
  for (uint64_t pid : options.watch_pids)
    collector_.watch_list().add_pid(pid);
  for (const auto& group : options.watch_cgroups)
    collector_.watch_list().add_cgroup(group);
}

RecorderLoop::~RecorderLoop() = default;

Result<std::unique_ptr<RecorderLoop>> RecorderLoop::open(std::shared_ptr<Machine> machine,
                                                         const RecorderOptions& options) {
  auto writer = Writer::open(options.folder, options.writer);
  if (!writer) return tl::unexpected(writer.error());
  std::unique_ptr<RecorderLoop> loop(new RecorderLoop(std::move(machine), options));
  loop->writer_ = std::move(*writer);
  auto control =
      ControlServer::open(options.folder, options.writer.group_readable,
                          [raw = loop.get()](const std::string& request, bool is_writer) {
                            return raw->answer(request, is_writer);
                          });
  // Recording matters more than being spoken to: a file system without sockets is no reason to
  // stop.
  if (control) {
    loop->control_ = std::move(*control);
  } else {
    loop->notes_.push_back("no control socket: " + control.error().what);
  }
  return loop;
}

void RecorderLoop::take_sample(const std::function<void(const std::string&)>& say) {
  int64_t cpu_before = process_cpu_ns();
  Schedule::Tick tick = schedule_.begin(monotonic_ns());
  counters_.late_ns = tick.late_ns;
  counters_.missed_samples += tick.missed;
  if (tick.late_ns > options_.writer.interval_ns / 10) ++counters_.late_samples;
  last_ = collector_.collect(tick.late_ns);
  auto appended = writer_->append(*last_);
  if (!appended) {
    ++counters_.write_errors;
    if (last_error_ != appended.error().what) say("a sample is lost: " + appended.error().what);
    last_error_ = appended.error().what;
  } else if (!last_error_.empty()) {
    say("recording goes on");
    last_error_.clear();
  }
  counters_.bytes_written = writer_->bytes_written();
  for (std::string& note : writer_->take_notes()) {
    say(note);
    collector_.event_log().add({"gap", "recording", note, 0});
    notes_.push_back(rfc3339(realtime_ns()) + " " + std::move(note));
    if (notes_.size() > kNotesKept) notes_.erase(notes_.begin());
  }
  counters_.previous_cost_ns = process_cpu_ns() - cpu_before;
}

Result<void> RecorderLoop::run(const std::function<bool()>& stop,
                               const std::function<void()>& on_first,
                               const std::function<void(const std::string&)>& say) {
  started_ns_ = realtime_ns();
  int64_t begin = monotonic_ns();
  schedule_.start(begin);
  take_sample(say);
  if (!last_error_.empty()) return fail(Errc::io, "{}: {}", options_.folder, last_error_);
  started_cpu_ns_ = process_cpu_ns();
  on_first();
  auto ends = [&] { return stop() || asked_to_stop_; };
  int64_t end = options_.duration_ns > 0 ? begin + options_.duration_ns : INT64_MAX;
  while (!ends()) {
    int64_t until = std::min(schedule_.due_ns(), end);
    if (control_) {
      control_->serve_until(until, ends);
    } else {
      timespec due{until / kSecond, until % kSecond};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
    }
    if (ends()) break;
    bool over = monotonic_ns() >= end;
    if (monotonic_ns() >= schedule_.due_ns() || over) take_sample(say);
    if (over) break;
  }
  return writer_->close();
}

std::string RecorderLoop::status() const {
  json protections = json::array();
  for (const Protection& p : protections_) {
    json entry{{"what", p.what}, {"done", p.done}};
    if (!p.done) entry["reason"] = p.reason;
    protections.push_back(entry);
  }
  json absent = json::array();
  for (size_t i = 0; last_ && i < kTableCount; ++i) {
    auto id = static_cast<TableId>(i);
    const Rows* rows = last_->rows(id);
    if (rows != nullptr && rows->absent == Absent::no) continue;
    Absent reason = rows == nullptr ? Absent::not_read : rows->absent;
    absent.push_back({{"table", table_view(id).name}, {"reason", name(reason)}});
  }
  uint64_t samples = writer_->samples();
  double seconds = static_cast<double>(realtime_ns() - started_ns_) / 1e9;
  double cpu_ms = static_cast<double>(process_cpu_ns() - started_cpu_ns_) / 1e6;
  json answer{
      {"ok", true},
      {"pid", getpid()},
      {"folder", options_.folder},
      {"since", rfc3339(started_ns_)},
      {"interval_s", static_cast<double>(options_.writer.interval_ns) / 1e9},
      {"samples", samples},
      {"last_number", writer_->last_number()},
      {"last_sample", last_ ? rfc3339(last_->clock.realtime_ns, 3) : ""},
      {"bytes_written", writer_->bytes_written()},
      {"resident_kib", resident_kib()},
      {"cpu_ms_per_sample", samples > 1 ? json(cpu_ms / static_cast<double>(samples - 1)) : json()},
      {"cpu_percent", seconds > 0 ? json(cpu_ms / seconds / 10) : json()},
      {"late_samples", counters_.late_samples},
      {"missed_samples", counters_.missed_samples},
      {"write_errors", counters_.write_errors},
      {"protections", protections},
      {"not_read", absent},
      {"notes", notes_}};
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string RecorderLoop::answer(const std::string& request, bool writer) {
  json asked = json::parse(request, nullptr, false);
  if (!asked.is_object()) return refuse("the request is no JSON object");
  auto text = [&](const char* key) {
    return asked.contains(key) && asked[key].is_string() ? asked[key].get<std::string>() : "";
  };
  std::string command = text("command");
  if (command == "status") return status();
  if (!writer) return refuse("only the recorder's own user and root may do that");
  if (command == "stop") {
    asked_to_stop_ = true;
  } else if (command == "mark") {
    collector_.event_log().add({"mark", "", text("text"), 0});
  } else if (command == "watch") {
    if (asked.contains("pid") && asked["pid"].is_number_unsigned()) {
      collector_.watch_list().add_pid(asked["pid"].get<uint64_t>());
    } else if (!text("cgroup").empty()) {
      collector_.watch_list().add_cgroup(text("cgroup"));
    } else {
      return refuse("watch needs a pid or a cgroup");
    }
  } else if (command == "unwatch") {
    collector_.watch_list().clear();
  } else {
    return refuse("unknown command: " + command);
  }
  return json{{"ok", true}, {"pid", getpid()}}.dump();
}

}  // namespace tacho
