#include "diagnose/steps.h"

#include <algorithm>

#include "schema/disk.h"
#include "schema/memory.h"
#include "schema/net.h"
#include "schema/system.h"

namespace tacho {
namespace {

/// A check of which larger is worse; `critical` is where it is no longer a warning.
Check above(std::string_view id, Number value, std::string_view unit, double threshold,
            double critical, std::string subject = "") {
  Check check{id, value, unit, threshold, ">", Level::unknown, std::move(subject)};
  if (value) {
    check.level = *value > critical    ? Level::critical
                  : *value > threshold ? Level::warning
                                       : Level::ok;
  }
  return check;
}

Check below(std::string_view id, Number value, std::string_view unit, double threshold,
            double critical) {
  Check check{id, value, unit, threshold, "<", Level::unknown, ""};
  if (value) {
    check.level = *value < critical    ? Level::critical
                  : *value < threshold ? Level::warning
                                       : Level::ok;
  }
  return check;
}

Number per(Number value, double whole) {
  if (!value) return value;
  if (whole <= 0) return Absent::not_read;
  return *value / whole;
}

Number times(Number value, double factor) {
  return value ? Number(*value * factor) : value;
}

Step gpu_step(const Thresholds& t) {
  Number none = Absent::not_recorded;
  return {"gpu",
          {below("gpu.util", none, "%", t.gpu_util, 80),
           above("gpu.memory", none, "%", t.gpu_memory, 99),
           above("gpu.temperature", none, "°C", t.gpu_temperature, 90)}};
}

Step cpu_step(const Span& span, const Thresholds& t) {
  double cpus = span.cpus();
  Step step{"cpu", {}};
  step.checks.push_back(
      above("cpu.busy", span.figure("cpu.busy_share", "cpu").mean(), "%", t.cpu_busy, 98));
  step.checks.push_back(above("cpu.pressure", span.figure("pressure.cpu_some_share").mean(), "%",
                              t.cpu_pressure, 60));
  step.checks.push_back(above("cpu.load", per(span.gauge(schema::system["load_1"]).mean(), cpus),
                              "per CPU", t.load_per_cpu, 4 * t.load_per_cpu));
  step.checks.push_back(
      above("cpu.steal", span.figure("cpu.steal_share", "cpu").mean(), "%", 5, 20));
  return step;
}

/// The whole disk with the largest value; a partition repeats its disk.
Check worst_disk(const Span& span, std::string_view id, std::string_view figure, double factor,
                 std::string_view unit, double threshold, double critical) {
  Check worst = above(id, Absent::not_read, unit, threshold, critical);
  for (const std::string& disk : span.instances(TableId::disk)) {
    if (span.gauge(schema::disk["partition"], disk).mean()) continue;
    Number value = times(span.figure(figure, disk).mean(), factor);
    bool first = worst.subject.empty();
    if (first || (value && (!worst.value || *value > *worst.value))) {
      worst = above(id, value, unit, threshold, critical, disk);
    }
  }
  return worst;
}

Step disk_step(const Span& span, const Thresholds& t) {
  Step step{"disk", {}};
  step.checks.push_back(worst_disk(span, "disk.util", "disk.util", 1, "%", t.disk_util, 98));
  step.checks.push_back(
      worst_disk(span, "disk.await", "disk.await", 1000, "ms", t.disk_await * 1000, 50));
  step.checks.push_back(worst_disk(span, "disk.queue", "disk.queue", 1, "requests", 2, 16));
  step.checks.push_back(
      above("disk.pressure", span.figure("pressure.io_some_share").mean(), "%", t.io_pressure, 60));
  Check fullest = above("disk.full", Absent::not_read, "%", t.filesystem_used, 99.5);
  for (const std::string& mount : span.instances(TableId::filesystem)) {
    if (span.gauge(schema::filesystem["read_only"], mount).mean().value_or(0) > 0) continue;
    Number used = span.figure("filesystem.used_share", mount).mean();
    if (used && (!fullest.value || *used > *fullest.value)) {
      fullest = above("disk.full", used, "%", t.filesystem_used, 99.5, mount);
    }
  }
  step.checks.push_back(fullest);
  return step;
}

Step memory_step(const Span& span, const Thresholds& t) {
  Step step{"memory", {}};
  Number used = span.figure("memory.used_share").mean();
  Number available = used ? Number(100 - *used) : used;
  step.checks.push_back(below("memory.available", available, "%", t.memory_available, 2));
  Series in = span.rate(schema::vm["swap_in"]);
  Series out = span.rate(schema::vm["swap_out"]);
  Number swap = in.mean() && out.mean() ? Number(*in.mean() + *out.mean()) : in.mean();
  step.checks.push_back(above("memory.swap", swap, "pages/s", t.swap_rate, 1000));
  step.checks.push_back(above("memory.pressure", span.figure("pressure.memory_some_share").mean(),
                              "%", t.memory_pressure, 20));
  step.checks.push_back(above("memory.run_queue",
                              per(span.gauge(schema::system["running"]).mean(), span.cpus()),
                              "per CPU", t.run_queue_per_cpu, 3 * t.run_queue_per_cpu));
  // vmstat's sy has interrupts in it.
  Number system = span.figure("cpu.system_share", "cpu").mean();
  Number irq = span.figure("cpu.irq_share", "cpu").mean();
  Number softirq = span.figure("cpu.softirq_share", "cpu").mean();
  if (system) system = *system + irq.value_or(0) + softirq.value_or(0);
  step.checks.push_back(above("cpu.system", system, "%", t.cpu_system, 60));
  step.checks.push_back(
      above("cpu.iowait", span.figure("cpu.iowait_share", "cpu").mean(), "%", t.cpu_iowait, 50));
  return step;
}

/// Bytes that stay in the sockets' queues: the least over the windows, so that what comes and goes
/// is none.
Number staying(const Span& span, Column column) {
  Number least = Absent::not_read;
  for (const Window& window : span.windows()) {
    const TableWindow& table = window.table(TableId::socket_state);
    if (table.absent() != Absent::no && table.absent() != Absent::not_due) {
      if (!least) least = table.absent();
      continue;
    }
    double sum = 0;
    for (size_t row = 0; row < table.size(); ++row) {
      // A listener's queues count connections.
      if (table.text(row, schema::socket_state["state"]) == "LISTEN") continue;
      sum += table.gauge(row, column).value_or(0);
    }
    if (!least || sum < *least) least = sum;
  }
  return least;
}

Step network_step(const Span& span, const Thresholds& t) {
  Step step{"network", {}};
  step.checks.push_back(above("net.recv_queue", staying(span, schema::socket_state["recv_queue"]),
                              "bytes", t.queue_bytes, 16 * t.queue_bytes));
  step.checks.push_back(above("net.send_queue", staying(span, schema::socket_state["send_queue"]),
                              "bytes", t.queue_bytes, 16 * t.queue_bytes));
  Number first = span.gauge(schema::tcp["port_first"]).mean();
  Number last = span.gauge(schema::tcp["port_last"]).mean();
  Number waiting = span.gauge(schema::tcp["time_wait"]).mean();
  Number share = !waiting ? waiting : Number(Absent::not_read);
  if (waiting && first && last && *last >= *first) share = *waiting * 100 / (*last - *first + 1);
  step.checks.push_back(above("net.time_wait", share, "% of ports", t.ports_used, 95));
  step.checks.push_back(above("net.retransmits", span.figure("tcp.retransmit_share").mean(), "%",
                              t.retransmits, 5 * t.retransmits));
  Check busiest = above("net.use", Absent::not_read, "% of speed", 85, 97);
  for (const std::string& device : span.instances(TableId::net)) {
    Number use = span.figure("net.use_share", device).mean();
    if (busiest.subject.empty() || (use && (!busiest.value || *use > *busiest.value))) {
      if (device == "lo") continue;
      busiest = above("net.use", use, "% of speed", 85, 97, device);
    }
  }
  step.checks.push_back(busiest);
  return step;
}

}  // namespace

std::vector<Step> walk_steps(const Span& span, const Thresholds& thresholds) {
  return {gpu_step(thresholds), cpu_step(span, thresholds), disk_step(span, thresholds),
          memory_step(span, thresholds), network_step(span, thresholds)};
}

}  // namespace tacho
