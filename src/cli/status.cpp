// tacho status, stop and mark: what is said to a running recorder.
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
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

/// Sends a command; an answer that says no is an error.
Result<json> ask(const std::string& folder, const json& request) {
  auto answer = ask_recorder(folder, request.dump(-1, ' ', false, json::error_handler_t::replace));
  if (!answer) return tl::unexpected(answer.error());
  json parsed = json::parse(*answer, nullptr, false);
  if (!parsed.is_object()) return fail(Errc::corrupt, "the recorder's answer cannot be understood");
  if (!parsed.value("ok", false)) {
    return fail(Errc::no_permission, "{}", parsed.value("error", "the recorder refused"));
  }
  return parsed;
}

std::string line(std::string_view title, const std::string& text) {
  return fmt::format("{:<14}{}\n", title, text);
}

std::string as_text(const json& s, const Contents& held) {
  std::string out;
  out += line("recorder",
              fmt::format("process {}, since {}", s.value("pid", 0), s.value("since", "")));
  out += line("folder", s.value("folder", ""));
  out += line("interval", format_seconds(s.value("interval_s", 0.0)));
  out +=
      line("samples", fmt::format("{} since its start, {} kept, the last at {}",
                                  s.value("samples", 0), held.samples, s.value("last_sample", "")));
  out += line("size", fmt::format("{}, {} written since its start",
                                  format_bytes(static_cast<double>(held.bytes)),
                                  format_bytes(s.value("bytes_written", 0.0))));
  auto figure = [&](const char* key, const char* unit, int digits) {
    return s[key].is_number() ? fmt::format("{:.{}f} {}", s[key].get<double>(), digits, unit)
                              : std::string(kAbsentText);
  };
  out +=
      line("cost", fmt::format("{} a sample, {} of a CPU, {} resident",
                               figure("cpu_ms_per_sample", "ms", 2), figure("cpu_percent", "%", 2),
                               format_bytes(s.value("resident_kib", 0.0) * 1024)));
  out += line("late", fmt::format("{} late, {} missed, {} lost", s.value("late_samples", 0),
                                  s.value("missed_samples", 0), s.value("write_errors", 0)));
  std::string protections;
  for (const json& p : s["protections"]) {
    if (!protections.empty()) protections += "; ";
    protections +=
        p.value("what", "") + (p.value("done", false) ? "" : ": no, " + p.value("reason", ""));
  }
  out += line("protection", protections);
  std::string absent;
  for (const json& t : s["not_read"]) {
    if (!absent.empty()) absent += ", ";
    absent += t.value("table", "") + " (" + t.value("reason", "") + ")";
  }
  out += line("not read", absent.empty() ? "nothing" : absent);
  for (const Gap& gap : held.gaps)
    out += line("gap", gap.why);
  for (const json& note : s["notes"])
    out += line("note", note.get<std::string>());
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
  if (as_json) {
    json all = *answer;
    all["kept_samples"] = held->samples;
    all["bytes"] = held->bytes;
    print(all.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  } else {
    print(as_text(*answer, *held));
  }
  return kDone;
}

int stop(int argc, char** argv) {
  std::optional<std::string> dir;
  Arguments args("stop", "Stops the background recorder; returns when it has ended.");
  args.value("--dir", dir, "DIR", "the recording's folder");
  if (auto code = args.parse(argc, argv)) return *code;
  std::string folder = folder_to_read(dir);
  auto answer = ask(folder, {{"command", "stop"}});
  if (!answer) return failed("stop", answer.error());
  auto pid = static_cast<pid_t>(answer->value("pid", 0));
  // It ends between two samples; writing its last chunk takes milliseconds.
  for (int64_t end = monotonic_ns() + 30 * kSecond; monotonic_ns() < end; usleep(10'000)) {
    if (pid > 0 && kill(pid, 0) != 0) {
      print("stopped; the recording stays in " + folder + "\n");
      return kDone;
    }
  }
  return failed("stop", fmt::format("process {} was asked to stop and still runs after 30 s", pid));
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
