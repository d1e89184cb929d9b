// What the recorder answers on its control socket. JSON is spoken here and nowhere else in it.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "collect/event_log.h"
#include "collect/tree.h"
#include "recorder/control.h"
#include "recorder/loop.h"

namespace tacho {
namespace {

using nlohmann::json;

constexpr size_t kLongestMark = 1000;
constexpr size_t kMostWatched = 1000;

/// Text from outside may be no UTF-8: what is not is replaced.
std::string to_line(const json& answer) {
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string refuse(const std::string& why) {
  return to_line(json{{"ok", false}, {"error", why}});
}

std::string text_of(const json& asked, const char* key) {
  auto found = asked.find(key);
  return found != asked.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<uint64_t> number_of(const json& asked, const char* key) {
  auto found = asked.find(key);
  if (found == asked.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<uint64_t>();
}

Result<void> mark(EventLog& log, const json& asked) {
  std::string text = text_of(asked, "text");
  if (text.empty() || text.size() > kLongestMark) {
    return fail(Errc::invalid, "a mark has 1 to {} bytes of text", kLongestMark);
  }
  log.add({"mark", "", text, 0});
  return {};
}

Result<void> watch(WatchList& list, const json& asked) {
  auto pid = number_of(asked, "pid");
  std::string group = text_of(asked, "cgroup");
  if (!pid && group.empty()) return fail(Errc::invalid, "watch needs a pid or a cgroup");
  if (list.pids().size() + list.cgroups().size() >= kMostWatched) {
    return fail(Errc::invalid, "{} trees are watched already; unwatch first", kMostWatched);
  }
  if (pid) list.add_pid(*pid);
  if (!group.empty()) list.add_cgroup(group);
  return {};
}

Result<void> steps(Progress& progress, const json& asked) {
  std::string name = text_of(asked, "name");
  auto done = asked.find("done");
  if (done != asked.end() && done->is_boolean() && done->get<bool>()) {
    progress.finish(name);
    return {};
  }
  auto count = number_of(asked, "steps");
  if (!count) return fail(Errc::invalid, "steps needs how many (\"steps\": a whole number)");
  return progress.report(name, *count, number_of(asked, "total"));
}

}  // namespace

std::string RecorderLoop::status() {
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
  json watched{{"pids", collector_.watch_list().pids()},
               {"cgroups", collector_.watch_list().cgroups()}};
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
      {"watched", watched},
      {"late_samples", counters_.late_samples},
      {"missed_samples", counters_.missed_samples},
      {"write_errors", counters_.write_errors},
      {"protections", protections},
      {"not_read", absent},
      {"notes", notes_}};
  return to_line(answer);
}

std::string RecorderLoop::answer(const std::string& request, bool writer) {
  json asked = json::parse(request, nullptr, false);
  if (!asked.is_object()) return refuse("the request is no JSON object");
  std::string command = text_of(asked, "command");
  if (command == "status") return status();
  if (!writer) return refuse("only the recorder's own user and root may do that");
  Result<void> done;
  if (command == "stop") {
    asked_to_stop_ = true;
  } else if (command == "mark") {
    done = mark(collector_.event_log(), asked);
  } else if (command == "watch") {
    done = watch(collector_.watch_list(), asked);
  } else if (command == "unwatch") {
    collector_.watch_list().clear();
  } else if (command == "steps") {
    done = steps(progress_, asked);
  } else {
    done = fail(Errc::invalid, "unknown command: {}", command);
  }
  if (!done) return refuse(done.error().what);
  return to_line(json{{"ok", true}, {"pid", getpid()}});
}

}  // namespace tacho
