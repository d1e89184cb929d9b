// Rules of memory.
#include "schema/memory.h"

#include <array>

#include "diagnose/rule.h"
#include "schema/disk.h"

namespace tacho {
namespace {

Outcome swap(const Span& span, const Thresholds& t) {
  // Swapping out alone clears away what nobody uses; reading back is what makes programs wait.
  Series in = span.rate(schema::vm["swap_in"]);
  if (!in.mean()) return Message{};
  auto swapping = [&](double pages) { return pages > t.swap_rate + 10; };
  if (!persists(in, t, swapping)) return Message{"nothing is read back from swap"};
  Finding finding = found(span, t, "memory.swap");
  Number out = span.rate(schema::vm["swap_out"]).mean();
  finding.severity = *in.mean() > 1000 ? Severity::critical : Severity::warning;
  finding.score = 0.8;
  finding.since_ns = since(in, t, swapping);
  finding.title = "memory is short: the machine swaps";
  finding.evidence.push_back({"{} pages a second swapped in, {} out",
                              {figure_text(*in.mean()), figure_text(out.value_or(0))}});
  if (Number faults = span.rate(schema::vm["major_faults"]).mean()) {
    finding.evidence.push_back({"{} major page faults a second", {figure_text(*faults)}});
  }
  finding.advice.push_back("smaller batches or fewer workers, or more memory");
  return finding;
}

Outcome pressure(const Span& span, const Thresholds& t) {
  Series some = span.figure("pressure.memory_some_share");
  if (!some.mean()) return Message{};
  auto high = [&](double share) { return share >= t.memory_pressure; };
  if (!persists(some, t, high)) {
    return Message{"tasks waited for memory {} % of the time", {figure_text(*some.mean(), 1)}};
  }
  Finding finding = found(span, t, "memory.pressure");
  finding.score = 0.7;
  finding.since_ns = since(some, t, high);
  finding.title = {"tasks wait for memory {} % of the time", {figure_text(*some.mean())}};
  finding.evidence.push_back({"PSI memory some {} %, above {} %",
                              {figure_text(*some.mean()), figure_text(t.memory_pressure)}});
  if (Number refaults = span.rate(schema::vm["refault_file"]).mean()) {
    finding.evidence.push_back(
        {"{} file pages a second were read again soon after they were dropped",
         {figure_text(*refaults)}});
  }
  finding.advice.push_back(
      "free memory or raise the control group's limit; the page cache is too small for the data");
  return finding;
}

Outcome oom(const Span& span, const Thresholds& t) {
  for (const SpanEvent& event : span.events()) {
    if (event.kind != "oom_kill") continue;
    Finding finding = found(span, t, "memory.oom");
    finding.severity = Severity::critical;
    finding.score = 1;
    finding.since_ns = event.realtime_ns;
    finding.culprit = Culprit{"process", event.pid, event.subject, ""};
    finding.title = {"memory ran out: the kernel killed {} (pid {})",
                     {event.subject, std::to_string(event.pid)}};
    finding.evidence.push_back({"kernel log: {}", {event.detail}});
    finding.advice.push_back("smaller batches or fewer workers, or a higher memory limit");
    return finding;
  }
  Series kills = span.rate(schema::vm["oom_kills"]);
  if (!kills.mean()) return Message{};
  if (*kills.mean() <= 0) return Message{"the kernel killed nothing for want of memory"};
  Finding finding = found(span, t, "memory.oom");
  finding.severity = Severity::critical;
  finding.score = 1;
  finding.since_ns = since(kills, t, [](double rate) { return rate > 0; });
  finding.title = "memory ran out: the kernel killed a process";
  finding.evidence.push_back("the kernel's count of out-of-memory kills has grown");
  finding.advice.push_back("smaller batches or fewer workers, or a higher memory limit");
  return finding;
}

Outcome shm(const Span& span, const Thresholds& t) {
  Number used = span.figure("filesystem.used_share", "/dev/shm").mean();
  if (!used) return Message{};
  if (*used < t.shm_used) return Message{"/dev/shm is {} % full", {figure_text(*used)}};
  Finding finding = found(span, t, "memory.shm");
  finding.severity = Severity::critical;
  finding.score = 0.85;
  finding.culprit = Culprit{"filesystem", 0, "/dev/shm", ""};
  finding.title = "/dev/shm is full: DataLoader workers pass their batches through it";
  finding.evidence.push_back({"{} % of it is used", {figure_text(*used)}});
  if (Number size = span.gauge(schema::filesystem["size"], "/dev/shm").mean()) {
    finding.evidence.push_back({"it has {} MiB", {figure_text(*size / 1048576)}});
  }
  finding.advice.push_back(
      "docker run --shm-size=8g (or --ipc=host); fewer workers; remove what dead ones left there");
  return finding;
}

}  // namespace

std::span<const Rule> memory_rules() {
  static constexpr std::array kRules{
      Rule{"memory.oom", 0, oom},
      Rule{"memory.shm", 2, shm},
      Rule{"memory.swap", 30, swap},
      Rule{"memory.pressure", 31, pressure},
  };
  return kRules;
}

}  // namespace tacho
