#include "render/diagnosis.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "render/number.h"
#include "render/table.h"
#include "render/text.h"
#include "render/width.h"

namespace tacho {
namespace {

Style style_of(Level level) {
  switch (level) {
    case Level::ok:
      return Style::good;
    case Level::warning:
      return Style::warning;
    case Level::critical:
      return Style::critical;
    case Level::unknown:
      break;
  }
  return Style::dim;
}

std::string clock_text(int64_t realtime_ns) {
  return local_time(realtime_ns, "%H:%M:%S");
}

std::string check_value(const Check& check) {
  std::string value = format_short(check.value);
  if (!check.value || check.unit.empty()) return value;
  return value + " " + std::string(check.unit);
}

std::string steps_text(const Diagnosis& d, size_t width, const Palette& palette) {
  TextTable table({{"step"},
                   {"check"},
                   {"value", Align::right},
                   {"alarm", Align::right},
                   {"status"},
                   {"of", Align::left, 0, true}});
  for (const Step& step : d.steps) {
    bool first = true;
    for (const Check& check : step.checks) {
      std::string remark =
          check.value ? escape_control(check.subject) : to_text(check.value.absent);
      table.add({first ? std::string(step.name) : "", std::string(check.id), check_value(check),
                 fmt::format("{} {}", check.op, format_short(check.threshold)),
                 TableCell(std::string(name(check.level)), style_of(check.level)), remark});
      first = false;
    }
  }
  return table.render(width, palette);
}

std::string culprit_text(const Culprit& culprit) {
  std::string text = escape_control(culprit.name);
  if (culprit.pid != 0) text += fmt::format(", pid {}", culprit.pid);
  if (!culprit.user.empty()) text += ", user " + escape_control(culprit.user);
  return text;
}

}  // namespace

std::string verdict_text(const Diagnosis& d, size_t width, const Palette& palette) {
  bool good = d.cause.starts_with("healthy");
  Style style = good ? Style::good : d.cause == "unknown" ? Style::warning : Style::critical;
  std::string out = hang("", palette.paint(style, to_text(d.title)), width);
  std::string line = fmt::format("{} ({} confidence)", d.cause, d.confidence);
  if (d.since_ns) line += ", since " + clock_text(*d.since_ns);
  out += hang("", line, width);
  if (d.culprit) {
    out += hang("", fmt::format("{}: {}", d.culprit->kind, culprit_text(*d.culprit)), width);
  }
  return out;
}

std::string to_text(const Diagnosis& d, size_t width, const Palette& palette) {
  std::string out = verdict_text(d, width, palette);
  out += hang("",
              fmt::format("{} to {}, {} samples {} apart", rfc3339(d.from_ns), rfc3339(d.to_ns),
                          d.samples, format_seconds(d.interval_s)),
              width);
  out += "\n" + steps_text(d, width, palette);
  for (const Finding& finding : d.findings) {
    out += "\n" + hang("",
                       palette.paint(Style::bold,
                                     fmt::format("{} [{}] {}", finding.cause,
                                                 name(finding.severity), to_text(finding.title))),
                       width);
    for (const Message& line : finding.evidence)
      out += hang("  - ", to_text(line), width);
    for (const Message& line : finding.advice)
      out += hang("  > ", to_text(line), width);
  }
  if (!d.ruled_out.empty()) {
    out += "\n" + palette.paint(Style::bold, translate("ruled out")) + "\n";
    for (const RuledOut& ruled : d.ruled_out) {
      out += hang(pad_right(fmt::format("  {}", ruled.cause), 22), to_text(ruled.because), width);
    }
  }
  if (!d.unmeasured.empty()) {
    std::string list;
    for (const Unmeasured& u : d.unmeasured) {
      if (!list.empty()) list += ", ";
      list += fmt::format("{} ({})", u.what, to_text(u.because));
    }
    out += "\n" + palette.paint(Style::bold, translate("not measured")) + "\n" +
           hang("  ", list, width);
  }
  return out;
}

namespace {

Json optional_time(const std::optional<int64_t>& ns) {
  return ns ? Json(rfc3339(*ns)) : Json();
}

Json culprit_json(const std::optional<Culprit>& culprit) {
  if (!culprit) return nullptr;
  Json json{{"kind", culprit->kind},
            {"pid", culprit->pid != 0 ? Json(culprit->pid) : Json()},
            {"name", culprit->name},
            {"user", culprit->user.empty() ? Json() : Json(culprit->user)}};
  return json;
}

Json check_json(const Check& check) {
  Json json{{"id", check.id},
            {"value", to_json(check.value)},
            {"unit", check.unit},
            {"threshold", to_json(Number(check.threshold))},
            {"op", check.op},
            {"status", name(check.level)},
            {"reason", check.value ? Json() : Json(name(check.value.absent))},
            {"subject", check.subject}};
  return json;
}

Json messages(const std::vector<Message>& lines) {
  Json json = Json::array();
  for (const Message& line : lines)
    json.push_back(to_text(line));
  return json;
}

}  // namespace

Json to_json(const Diagnosis& d, const std::string& host, const std::vector<Gap>& gaps) {
  Json steps = Json::array();
  for (const Step& step : d.steps) {
    Json checks = Json::array();
    for (const Check& check : step.checks)
      checks.push_back(check_json(check));
    steps.push_back({{"step", step.name}, {"status", name(step.level())}, {"checks", checks}});
  }
  Json findings = Json::array();
  for (const Finding& f : d.findings) {
    findings.push_back({{"cause", f.cause},
                        {"severity", name(f.severity)},
                        {"score", f.score},
                        {"from", rfc3339(f.from_ns)},
                        {"to", rfc3339(f.to_ns)},
                        {"title", to_text(f.title)},
                        {"since", optional_time(f.since_ns)},
                        {"culprit", culprit_json(f.culprit)},
                        {"evidence", messages(f.evidence)},
                        {"advice", messages(f.advice)}});
  }
  Json ruled_out = Json::array();
  for (const RuledOut& r : d.ruled_out) {
    ruled_out.push_back({{"cause", r.cause}, {"because", to_text(r.because)}});
  }
  Json unmeasured = Json::array();
  for (const Unmeasured& u : d.unmeasured) {
    unmeasured.push_back({{"what", u.what}, {"because", name(u.because)}});
  }
  return {{"schema", "tacho.why/1"},
          {"host", host},
          {"from", rfc3339(d.from_ns)},
          {"to", rfc3339(d.to_ns)},
          {"samples", d.samples},
          {"interval_s", d.interval_s},
          {"verdict",
           {{"cause", d.cause},
            {"confidence", d.confidence},
            {"title", to_text(d.title)},
            {"since", optional_time(d.since_ns)},
            {"gpu_idle_share", nullptr},
            {"culprit", culprit_json(d.culprit)}}},
          {"steps", steps},
          {"findings", findings},
          {"ruled_out", ruled_out},
          {"unmeasured", unmeasured},
          {"gaps", to_json(gaps)}};
}

}  // namespace tacho
