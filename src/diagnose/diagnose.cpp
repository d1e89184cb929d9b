#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnose/diagnosis.h"
#include "diagnose/rule.h"
#include "diagnose/steps.h"

namespace tacho {

std::string_view name(Level level) {
  switch (level) {
    case Level::ok:
      return "ok";
    case Level::warning:
      return "warning";
    case Level::critical:
      return "critical";
    case Level::unknown:
      break;
  }
  return "unknown";
}

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::critical:
      break;
  }
  return "critical";
}

Level Step::level() const {
  Level worst = Level::unknown;
  for (const Check& check : checks) {
    if (check.level == Level::unknown) continue;
    if (worst == Level::unknown || check.level > worst) worst = check.level;
  }
  return worst;
}

bool persists(const Series& series, const Thresholds& thresholds, const Series::Test& test) {
  size_t windows = series.points().size();
  size_t wanted = std::min(windows, static_cast<size_t>(thresholds.windows));
  // Three windows of an hour are an accident; a fifth of them is a state.
  wanted = std::max(wanted, windows / 5);
  return windows > 0 && series.count(test) >= wanted;
}

std::optional<int64_t> since(const Series& series, const Thresholds& thresholds,
                             const Series::Test& test) {
  return series.since(test, static_cast<size_t>(std::max(thresholds.windows - 1, 0.0)));
}

Finding found(const Span& span, const Thresholds& thresholds, std::string_view cause) {
  Finding finding;
  finding.cause = cause;
  finding.from_ns = span.from_ns();
  finding.to_ns = span.to_ns();
  finding.few_windows = static_cast<double>(span.windows().size()) < thresholds.windows;
  return finding;
}

std::string figure_text(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

namespace {

/// Nothing trains and nothing waits.
bool idle(const Span& span, const Thresholds& t) {
  Series busy = span.figure("cpu.busy_share", "cpu");
  return !span.has_watched() && busy.mean() && *busy.mean() < t.idle_busy;
}

void run_rules(const Span& span, const Thresholds& t, Diagnosis& diagnosis) {
  std::vector<Rule> rules;
  for (auto some : {cpu_rules(), disk_rules(), memory_rules(), net_rules()}) {
    rules.insert(rules.end(), some.begin(), some.end());
  }
  std::ranges::sort(rules, {}, &Rule::order);
  for (const Rule& rule : rules) {
    Outcome outcome = rule.look(span, t);
    if (auto* finding = std::get_if<Finding>(&outcome)) {
      diagnosis.findings.push_back(std::move(*finding));
    } else if (const Message& because = std::get<Message>(outcome); !because.empty()) {
      diagnosis.ruled_out.push_back({rule.cause, because});
    }
  }
  // A hog, a quota or too many threads explain why the CPUs are full: that they are is no second
  // cause.
  auto has = [&](std::string_view cause) {
    return std::ranges::any_of(diagnosis.findings,
                               [&](const Finding& f) { return f.cause == cause; });
  };
  if (has("cpu.hog") || has("cpu.oversubscribed") || has("cpu.system")) {
    std::erase_if(diagnosis.findings, [](const Finding& f) { return f.cause == "cpu.saturated"; });
  }
  // Rules stand in the order of precedence, which decides between equals.
  std::ranges::stable_sort(diagnosis.findings,
                           [](const Finding& a, const Finding& b) { return a.score > b.score; });
}

void decide(const Span& span, const Thresholds& t, Diagnosis& diagnosis) {
  if (!diagnosis.findings.empty() && diagnosis.findings.front().score >= 0.3) {
    const Finding& first = diagnosis.findings.front();
    diagnosis.cause = first.cause;
    diagnosis.title = first.title;
    diagnosis.since_ns = first.since_ns;
    diagnosis.culprit = first.culprit;
    bool alone = diagnosis.findings.size() < 2 || diagnosis.findings[1].score < first.score - 0.15;
    diagnosis.confidence = first.few_windows                     ? "low"
                           : first.evidence.size() >= 2 && alone ? "high"
                                                                 : "medium";
    return;
  }
  if (span.empty()) {
    diagnosis.cause = "unknown";
    diagnosis.confidence = "low";
    diagnosis.title = "there are not two samples to compare";
  } else if (idle(span, t)) {
    diagnosis.cause = "healthy.idle";
    diagnosis.confidence = "high";
    diagnosis.title = "nothing trains here and nothing waits";
  } else {
    diagnosis.cause = "unknown";
    diagnosis.confidence = "low";
    diagnosis.title =
        "no bottleneck of this machine was found; see what was ruled out and what could not be "
        "measured";
  }
}

}  // namespace

Diagnosis diagnose(const Span& span, const Thresholds& thresholds) {
  Diagnosis diagnosis;
  diagnosis.from_ns = span.from_ns();
  diagnosis.to_ns = span.to_ns();
  diagnosis.samples = span.samples();
  diagnosis.interval_s = span.interval_s();
  diagnosis.steps = walk_steps(span, thresholds);
  if (!span.empty()) run_rules(span, thresholds, diagnosis);
  decide(span, thresholds, diagnosis);
  for (const Step& step : diagnosis.steps) {
    for (const Check& check : step.checks) {
      if (!check.value) diagnosis.unmeasured.push_back({std::string(check.id), check.value.absent});
    }
  }
  return diagnosis;
}

}  // namespace tacho
