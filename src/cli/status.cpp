// tacho status, stop and mark: what is said to a running recorder.
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "recorder/control.h"
#include "recording/reader.h"
#include "render/json.h"
#include "render/number.h"
#include "render/text.h"

namespace tacho::cli {
namespace {

using nlohmann::json;

/// An answer that says no is an error.
Result<json> understand(const Result<std::string>& answer) {
  if (!answer) return tl::unexpected(answer.error());
  json parsed = json::parse(*answer, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("ok") || !parsed["ok"].is_boolean()) {
    return fail(Errc::corrupt, "the recorder's answer cannot be understood");
  }
  if (parsed["ok"].get<bool>()) return parsed;
  auto why = parsed.find("error");
  bool told = why != parsed.end() && why->is_string();
  return fail(Errc::no_permission, "{}", told ? why->get<std::string>() : "the recorder refused");
}

Result<json> ask(const std::string& folder, const json& request) {
  return understand(
      ask_recorder(folder, request.dump(-1, ' ', false, json::error_handler_t::replace)));
}

/// The parts of an answer that may come from a recorder of another version: what is not there, or
/// is of another type, is absent.
class Answer {
 public:
  explicit Answer(const json& answer) : answer_(answer) {}
  [[nodiscard]] std::string text(const char* key) const {
    auto found = answer_.find(key);
    return found != answer_.end() && found->is_string() ? escape_control(found->get<std::string>())
                                                        : std::string(kAbsentText);
  }
  [[nodiscard]] std::optional<double> number(const char* key) const {
    auto found = answer_.find(key);
    if (found == answer_.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
  }
  [[nodiscard]] std::string count(const char* key) const { return fixed(key, 0); }
  [[nodiscard]] std::string fixed(const char* key, int digits) const {
    auto value = number(key);
    return value ? fmt::format("{:.{}f}", *value, digits) : std::string(kAbsentText);
  }
  [[nodiscard]] std::string bytes(const char* key, double factor = 1) const {
    auto value = number(key);
    return value ? format_bytes(*value * factor) : std::string(kAbsentText);
  }
  [[nodiscard]] bool yes(const char* key) const {
    auto found = answer_.find(key);
    return found != answer_.end() && found->is_boolean() && found->get<bool>();
  }
  /// The objects of a list.
  [[nodiscard]] std::vector<Answer> list(const char* key) const {
    std::vector<Answer> all;
    auto found = answer_.find(key);
    if (found == answer_.end() || !found->is_array()) return all;
    for (const json& entry : *found) {
      if (entry.is_object()) all.emplace_back(entry);
    }
    return all;
  }
  [[nodiscard]] std::vector<std::string> words(const char* key) const {
    std::vector<std::string> all;
    auto found = answer_.find(key);
    if (found == answer_.end() || !found->is_array()) return all;
    for (const json& entry : *found) {
      if (entry.is_string()) all.push_back(escape_control(entry.get<std::string>()));
      if (entry.is_number_unsigned()) all.push_back(entry.dump());
    }
    return all;
  }
  [[nodiscard]] Answer part(const char* key) const {
    static const json kNone = json::object();
    auto found = answer_.find(key);
    return Answer(found != answer_.end() && found->is_object() ? *found : kNone);
  }

 private:
  const json& answer_;
};

std::string line(std::string_view title, const std::string& text) {
  return fmt::format("{:<14}{}\n", title, text);
}

void append(std::string& list, std::string_view separator, const std::string& item) {
  if (!list.empty()) list += separator;
  list += item;
}

std::string watched(const Answer& s) {
  std::string all;
  for (const std::string& pid : s.part("watched").words("pids"))
    append(all, ", ", "process " + pid);
  for (const std::string& group : s.part("watched").words("cgroups"))
    append(all, ", ", "cgroup " + group);
  return all.empty() ? "nothing in particular" : all;
}

constexpr size_t kGapsShown = 10;

std::string gaps_text(const std::vector<Gap>& gaps) {
  std::string out;
  size_t first = gaps.size() > kGapsShown ? gaps.size() - kGapsShown : 0;
  if (first > 0) out += line("gap", fmt::format("{} earlier ones", first));
  for (size_t i = first; i < gaps.size(); ++i)
    out += line("gap", escape_control(describe(gaps[i])));
  return out;
}

std::string as_text(const json& answer, const Contents& held, const std::vector<Gap>& gaps) {
  Answer s(answer);
  std::string out;
  out += line("recorder", fmt::format("process {}, since {}", s.count("pid"), s.text("since")));
  out += line("folder", s.text("folder"));
  auto interval = s.number("interval_s");
  out += line("interval", interval ? format_seconds(*interval) : std::string(kAbsentText));
  out += line("samples", fmt::format("{} since its start, {} kept, the last at {}",
                                     s.count("samples"), held.samples, s.text("last_sample")));
  out += line("size",
              fmt::format("{}, {} written since its start",
                          format_bytes(static_cast<double>(held.bytes)), s.bytes("bytes_written")));
  out += line("cost", fmt::format("{} ms a sample, {} % of a CPU, {} resident",
                                  s.fixed("cpu_ms_per_sample", 2), s.fixed("cpu_percent", 2),
                                  s.bytes("resident_kib", 1024)));
  out += line("late", fmt::format("{} late, {} missed, {} lost", s.count("late_samples"),
                                  s.count("missed_samples"), s.count("write_errors")));
  out += line("watched", watched(s));
  std::string protections;
  for (const Answer& p : s.list("protections"))
    append(protections, "; ", p.text("what") + (p.yes("done") ? "" : ": no, " + p.text("reason")));
  out += line("protection", protections);
  std::string absent;
  for (const Answer& t : s.list("not_read"))
    append(absent, ", ", t.text("table") + " (" + t.text("reason") + ")");
  out += line("not read", absent.empty() ? "nothing" : absent);
  out += gaps_text(gaps);
  for (const std::string& note : s.words("notes"))
    out += line("note", note);
  return out;
}

}  // namespace

int status(int argc, char** argv) {
  std::optional<std::string> dir;
  bool as_json = false;
  Arguments args("status",
                 "What the background recorder does: since when, its cost, size and gaps.");
  args.value("--dir", dir, "DIR", "the recording's folder");
  args.flag("--json", as_json, "as JSON");
  if (auto code = args.parse(argc, argv)) return *code;
  std::string folder = folder_to_read(dir);
  auto answer = ask(folder, {{"command", "status"}});
  if (!answer) return failed("status", answer.error());
  auto held = describe_recording(folder);
  if (!held) return failed("status", held.error());
  auto gaps = recorded_gaps(folder);
  if (!gaps) return failed("status", gaps.error());
  if (as_json) {
    json all = *answer;
    all["kept_samples"] = held->samples;
    all["bytes"] = held->bytes;
    all["gaps"] = to_json(*gaps);
    print(all.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  } else {
    print(as_text(*answer, *held, *gaps));
  }
  return kDone;
}

int stop(int argc, char** argv) {
  std::optional<std::string> dir;
  Arguments args("stop", "Stops the background recorder; returns when it has ended.");
  args.value("--dir", dir, "DIR", "the recording's folder");
  if (auto code = args.parse(argc, argv)) return *code;
  std::string folder = folder_to_read(dir);
  // It ends between two samples; writing its last chunk takes milliseconds.
  auto answer = understand(stop_recorder(folder, 30 * kSecond));
  if (!answer) return failed("stop", answer.error());
  print("stopped; the recording stays in " + escape_control(folder) + "\n");
  return kDone;
}

int mark(int argc, char** argv) {
  std::optional<std::string> dir;
  std::vector<std::string> words;
  Arguments args("mark", "Puts a mark into the running recording.");
  args.value("--dir", dir, "DIR", "the recording's folder");
  args.words("TEXT", words, 1, 1000);
  if (auto code = args.parse(argc, argv)) return *code;
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  auto answer = ask(folder_to_read(dir), {{"command", "mark"}, {"text", text}});
  if (!answer) return failed("mark", answer.error());
  return kDone;
}

}  // namespace tacho::cli
