// Rules of the CPU: who takes it, and what keeps a program from it though it is free.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "diagnose/rule.h"
#include "schema/cgroup.h"
#include "schema/system.h"

namespace tacho {
namespace {

/// Processes of one command and user, taken together.
struct Group {
  std::string command;
  std::string user;
  size_t processes = 0;
  uint64_t busiest_pid = 0;
  double busiest = 0;
  std::map<int64_t, double> cpu;   ///< %CPU by the window's beginning
  std::map<int64_t, double> wait;  ///< run-queue wait, % of the time
};

double value_at(const std::map<int64_t, double>& values, int64_t at) {
  auto found = values.find(at);
  return found == values.end() ? 0 : found->second;
}

void add_to(Group& group, const ProcessSpan& process) {
  ++group.processes;
  group.command = process.command;
  group.user = process.user;
  double mean = process.cpu.mean().value_or(0);
  if (mean > group.busiest || group.busiest_pid == 0) {
    group.busiest = mean;
    group.busiest_pid = process.pid;
  }
  for (const auto& p : process.cpu.points())
    group.cpu[p.from_ns] += p.value.value_or(0);
  for (const auto& p : process.wait.points())
    group.wait[p.from_ns] += p.value.value_or(0);
}

/// Who competes for the CPUs: the watched tree as one, everything else by command and user.
struct Competitors {
  Group watched;
  std::vector<Group> others;
};

Competitors competitors(const Span& span) {
  Competitors all;
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const ProcessSpan& process : span.processes()) {
    add_to(process.watched ? all.watched : groups[{process.command, process.user}], process);
  }
  for (auto& [name, group] : groups)
    all.others.push_back(std::move(group));
  auto total = [](const Group& group) {
    double sum = 0;
    for (const auto& [at, cpu] : group.cpu)
      sum += cpu;
    return sum;
  };
  std::ranges::sort(all.others,
                    [&](const Group& a, const Group& b) { return total(a) > total(b); });
  return all;
}

/// Of the time a group could have run, the share it waited.
double wait_share(double cpu, double wait) {
  return cpu + wait > 0 ? 100 * wait / (cpu + wait) : 0;
}

bool machine_full(const Window& window, const Thresholds& t) {
  Number busy = Absent::not_read;
  const TableWindow& cpu = window.table(TableId::cpu);
  if (cpu.size() > 0) busy = figure::cpu_busy(window, 0);
  return busy && *busy >= t.cpu_busy;
}

/// In which windows `hog` holds CPU while others wait for it: its share of the machine, in %.
Series held_while_others_wait(const Span& span, const Thresholds& t, const Group& hog,
                              const Competitors& all) {
  Series series;
  double whole = span.cpus() * 100;
  for (const Window& window : span.windows()) {
    int64_t at = window.begin().clock.realtime_ns;
    double victim_cpu = 0;
    double victim_wait = 0;
    if (span.has_watched()) {
      victim_cpu = value_at(all.watched.cpu, at);
      victim_wait = value_at(all.watched.wait, at);
    } else {
      for (const Group& other : all.others) {
        if (&other == &hog) continue;
        victim_cpu += value_at(other.cpu, at);
        victim_wait += value_at(other.wait, at);
      }
    }
    // Waits of a hundredth of a CPU are what any machine has.
    bool waits = victim_wait >= 10 && wait_share(victim_cpu, victim_wait) >= t.hog_wait;
    double share = whole > 0 ? 100 * value_at(hog.cpu, at) / whole : 0;
    bool holds = waits && machine_full(window, t) && share >= t.hog_share;
    series.add(window, holds ? Number(share) : Number(0.0));
  }
  return series;
}

Outcome hog(const Span& span, const Thresholds& t) {
  Competitors all = competitors(span);
  auto holds = [](double share) { return share > 0; };
  for (const Group& group : all.others) {
    Series held = held_while_others_wait(span, t, group, all);
    if (!persists(held, t, holds)) continue;
    double cpu = 0;
    double wait = 0;
    double own = 0;
    size_t windows = 0;
    for (const auto& point : held.points()) {
      if (!holds(*point.value)) continue;
      ++windows;
      cpu += value_at(group.cpu, point.from_ns);
      if (span.has_watched()) {
        wait += value_at(all.watched.wait, point.from_ns);
        own += value_at(all.watched.cpu, point.from_ns);
      } else {
        for (const Group& other : all.others) {
          if (&other == &group) continue;
          wait += value_at(other.wait, point.from_ns);
          own += value_at(other.cpu, point.from_ns);
        }
      }
    }
    auto count = static_cast<double>(windows);
    double waited = wait_share(own, wait);
    Finding finding = found(span, t, "cpu.hog");
    finding.severity = waited >= 2 * t.hog_wait ? Severity::critical : Severity::warning;
    finding.score = std::min(1.0, waited / 100 + 0.3);
    finding.since_ns = since(held, t, holds);
    finding.culprit = Culprit{"process", group.busiest_pid, group.command, group.user};
    finding.title = {"{} of user {} takes the CPU from {}",
                     {group.command, group.user,
                      span.has_watched() ? "the watched program" : "other processes"}};
    finding.evidence.push_back(
        {"{} ({} processes of user {}, busiest pid {}) used {} % of a CPU, the machine has {}",
         {group.command, std::to_string(group.processes), group.user,
          std::to_string(group.busiest_pid), figure_text(cpu / count), figure_text(span.cpus())}});
    finding.evidence.push_back(
        {span.has_watched()
             ? "the watched program waited for a CPU {} % of the time it could have run"
             : "other processes waited for a CPU {} % of the time they could have run",
         {figure_text(waited)}});
    if (Number pressure = span.figure("pressure.cpu_some_share").mean()) {
      finding.evidence.push_back(
          {"some task waited for a CPU {} % of the time (PSI)", {figure_text(*pressure)}});
    }
    finding.advice.push_back({"stop it or move it: kill {} (pid {}), or taskset and nice it",
                              {group.command, std::to_string(group.busiest_pid)}});
    return finding;
  }
  if (span.processes().empty()) return Message{};
  return Message{"nobody else holds CPU while others wait for it"};
}

Outcome quota(const Span& span, const Thresholds& t) {
  std::vector<std::string> groups = span.instances(TableId::cgroup);
  if (groups.empty()) return Message{};
  for (const std::string& group : groups) {
    Series throttled = span.figure("cgroup.throttled_share", group);
    auto bad = [&](double share) { return share >= t.throttled; };
    if (!persists(throttled, t, bad)) continue;
    Finding finding = found(span, t, "cpu.quota");
    double share = *throttled.mean();
    finding.severity = share >= 2.5 * t.throttled ? Severity::critical : Severity::warning;
    finding.score = std::min(1.0, 0.5 + share / 200);
    finding.since_ns = since(throttled, t, bad);
    finding.culprit = Culprit{"cgroup", 0, group, ""};
    finding.title = {"the CPU quota of control group {} stops its processes", {group}};
    finding.evidence.push_back({"stopped in {} % of its periods", {figure_text(share)}});
    Number quota = span.gauge(schema::cgroup["cpu_quota"], group).mean();
    Number period = span.gauge(schema::cgroup["cpu_period"], group).mean();
    if (quota && period && *period > 0) {
      finding.evidence.push_back({"it may use {} CPUs of {}",
                                  {figure_text(*quota / *period, 2), figure_text(span.cpus())}});
    }
    finding.advice.push_back(
        "raise the limit (docker --cpus, the pod's CPU limit, CPUQuota=) or start fewer threads");
    return finding;
  }
  return Message{"no control group is stopped by its CPU quota"};
}

Outcome affinity(const Span& span, const Thresholds& t) {
  double cpus = span.cpus();
  Series idle = span.figure("cpu.idle_share", "cpu");
  if (cpus < 2 || !idle.mean()) return Message{};
  // Processes that wait while CPUs are idle, and may use only some of them.
  for (const ProcessSpan& process : span.processes()) {
    if (span.has_watched() && !process.watched) continue;
    if (!process.allowed_cpus || *process.allowed_cpus >= cpus) continue;
    auto waits = [&](double wait) { return wait >= 20; };
    bool free_cpus = persists(idle, t, [&](double share) { return share >= 100 / cpus / 2; });
    if (!free_cpus || !persists(process.wait, t, waits)) continue;
    Finding finding = found(span, t, "cpu.affinity");
    double share = wait_share(process.cpu.mean().value_or(0), process.wait.mean().value_or(0));
    finding.severity = Severity::critical;
    finding.score = std::min(1.0, 0.5 + share / 200);
    finding.since_ns = since(process.wait, t, waits);
    finding.culprit = Culprit{"process", process.pid, process.command, process.user};
    finding.title = {"{} may use only {} of {} CPUs and waits while others are idle",
                     {process.command, figure_text(*process.allowed_cpus), figure_text(cpus)}};
    finding.evidence.push_back(
        {"{} (pid {}) waited for a CPU {} % of the time it could have run",
         {process.command, std::to_string(process.pid), figure_text(share)}});
    finding.evidence.push_back({"{} % of the CPUs' time was idle", {figure_text(*idle.mean())}});
    finding.advice.push_back(
        "widen its mask (taskset -acp, srun --cpus-per-task, os.sched_setaffinity in "
        "worker_init_fn)");
    return finding;
  }
  return Message{"no process waits on a few CPUs while others are idle"};
}

/// Waiting of a group for itself: many runnable threads, few CPUs, nobody else.
Outcome oversubscribed(const Span& span, const Thresholds& t) {
  Competitors all = competitors(span);
  double whole = span.cpus() * 100;
  if (whole <= 0 || span.processes().empty()) return Message{};
  const Group* group = span.has_watched()   ? &all.watched
                       : all.others.empty() ? nullptr
                                            : &all.others.front();
  Series waiting;
  for (const Window& window : span.windows()) {
    int64_t at = window.begin().clock.realtime_ns;
    double cpu = group == nullptr ? 0 : value_at(group->cpu, at);
    double wait = group == nullptr ? 0 : value_at(group->wait, at);
    // More than twice as many want to run as there are CPUs, and it has nearly all of them itself.
    bool itself = cpu >= 0.7 * whole && cpu + wait >= 2 * whole;
    waiting.add(window, itself ? wait_share(cpu, wait) : 0.0);
  }
  auto bad = [&](double share) { return share >= t.oversubscribed; };
  if (!persists(waiting, t, bad))
    return Message{"no program starts far more threads than there are CPUs"};
  Finding finding = found(span, t, "cpu.oversubscribed");
  finding.score = std::min(1.0, 0.3 + *waiting.mean() / 100);
  finding.since_ns = since(waiting, t, bad);
  finding.culprit = Culprit{"process", group->busiest_pid, group->command, group->user};
  finding.title = {"{} runs more threads than the {} CPUs can take",
                   {group->command, figure_text(span.cpus())}};
  finding.evidence.push_back(
      {"its threads waited {} % of the time they could have run", {figure_text(*waiting.mean())}});
  finding.advice.push_back(
      "fewer workers or threads (num_workers, OMP_NUM_THREADS, torch.set_num_threads)");
  return finding;
}

/// CPU time of a process over the whole span, however short it lived; 100 is one CPU.
double whole_span(const Span& span, const ProcessSpan& process) {
  double seconds = 0;
  for (const Window& window : span.windows())
    seconds += window.seconds();
  double sum = 0;
  for (const Series::Point& p : process.cpu.points())
    sum += p.value.value_or(0) * p.seconds;
  return seconds > 0 ? sum / seconds : 0;
}

/// Who keeps the CPUs busy, of `used` % of one CPU in all.
void name_users(const Span& span, double used, Finding& finding) {
  double seen = 0;
  const ProcessSpan* first = nullptr;
  double most = 0;
  for (const ProcessSpan& process : span.processes()) {
    double cpu = whole_span(span, process);
    seen += cpu;
    if (cpu > most) first = &process;
    most = std::max(most, cpu);
  }
  if (first != nullptr && most >= 0.05 * used) {
    const char* words = most >= 0.5 * used
                            ? "most of it by {} (pid {}, user {}): {} % of a CPU"
                            : "the largest part by {} (pid {}, user {}): {} % of a CPU";
    finding.evidence.push_back(
        {words, {first->command, std::to_string(first->pid), first->user, figure_text(most)}});
  }
  if (seen < 0.5 * used) {
    finding.evidence.push_back(
        {"the processes that can be seen from here took {} of the {} CPUs in use: the rest went to "
         "other containers, to the host or to the kernel itself",
         {fmt::format("{:.2f}", seen / 100), fmt::format("{:.2f}", used / 100)}});
  }
}

Outcome saturated(const Span& span, const Thresholds& t) {
  Series busy = span.figure("cpu.busy_share", "cpu");
  Series pressure = span.figure("pressure.cpu_some_share");
  if (!busy.mean()) return Message{};
  auto full = [&](double share) { return share >= t.cpu_busy; };
  bool waits = !pressure.mean() ||
               persists(pressure, t, [&](double share) { return share >= t.cpu_pressure; });
  if (!persists(busy, t, full) || !waits) {
    return Message{"the CPUs were busy {} % of the time", {figure_text(*busy.mean())}};
  }
  Finding finding = found(span, t, "cpu.saturated");
  finding.score = 0.4;
  finding.since_ns = since(busy, t, full);
  finding.title = {"all {} CPUs are busy", {figure_text(span.cpus())}};
  finding.evidence.push_back({"the CPUs were busy {} % of the time", {figure_text(*busy.mean())}});
  if (pressure.mean()) {
    finding.evidence.push_back(
        {"some task waited for a CPU {} % of the time (PSI)", {figure_text(*pressure.mean())}});
  }
  name_users(span, *busy.mean() * span.cpus(), finding);
  finding.advice.push_back(
      "do less on the CPU: cheaper or cached transforms, decoding on the GPU; or take a machine "
      "with more CPUs");
  return finding;
}

Outcome system_time(const Span& span, const Thresholds& t) {
  Series system = span.figure("cpu.system_share", "cpu");
  if (!system.mean()) return Message{};
  auto high = [&](double share) { return share > t.cpu_system; };
  if (!persists(system, t, high)) {
    return Message{"the kernel used {} % of the CPUs", {figure_text(*system.mean())}};
  }
  Finding finding = found(span, t, "cpu.system");
  finding.score = std::min(1.0, *system.mean() / 100);
  finding.since_ns = since(system, t, high);
  finding.title = {"the kernel takes {} % of the CPUs", {figure_text(*system.mean())}};
  finding.evidence.push_back(
      {"system time {} %, above {} %", {figure_text(*system.mean()), figure_text(t.cpu_system)}});
  Number switches = span.rate(schema::system["context_switches"]).mean();
  if (switches) {
    finding.evidence.push_back({"{} context switches a second", {figure_text(*switches)}});
  }
  finding.advice.push_back(
      "fewer system calls: larger reads, fewer small files; strace -c -f -p PID names them");
  return finding;
}

}  // namespace

std::span<const Rule> cpu_rules() {
  static constexpr std::array kRules{
      Rule{"cpu.quota", 10, quota},
      Rule{"cpu.affinity", 11, affinity},
      Rule{"cpu.hog", 20, hog},
      Rule{"cpu.oversubscribed", 21, oversubscribed},
      Rule{"cpu.system", 60, system_time},
      Rule{"cpu.saturated", 70, saturated},
  };
  return kRules;
}

}  // namespace tacho
