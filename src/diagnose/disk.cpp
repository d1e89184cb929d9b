// Rules of the disks and file systems.
#include "schema/disk.h"

#include <array>

#include "diagnose/rule.h"

namespace tacho {
namespace {

bool whole_disk(const Span& span, const std::string& disk) {
  return !span.gauge(schema::disk["partition"], disk).mean();
}

/// Whether tasks really wait for I/O; true where PSI cannot tell.
bool tasks_wait(const Span& span, const Thresholds& t) {
  Series pressure = span.figure("pressure.io_some_share");
  return !pressure.mean() ||
         persists(pressure, t, [&](double share) { return share >= t.io_pressure; });
}

Outcome latency(const Span& span, const Thresholds& t) {
  bool seen = false;
  for (const std::string& disk : span.instances(TableId::disk)) {
    if (!whole_disk(span, disk)) continue;
    Series await = span.figure("disk.await", disk);
    Series queue = span.figure("disk.queue", disk);
    seen = seen || queue.mean().has();
    auto slow = [&](double seconds) { return seconds > t.disk_await; };
    // A slow request now and then, with nobody waiting for it, is no bottleneck.
    bool queued = persists(queue, t, [](double requests) { return requests >= 1; });
    if (!persists(await, t, slow) || !queued || !tasks_wait(span, t)) continue;
    Finding finding = found(span, t, "disk.latency");
    double ms = *await.mean() * 1000;
    finding.severity = ms >= 50 ? Severity::critical : Severity::warning;
    finding.score = 0.6;
    finding.since_ns = since(await, t, slow);
    finding.culprit = Culprit{"device", 0, disk, ""};
    finding.title = {"disk {} takes {} ms for a request", {disk, figure_text(ms, 1)}};
    finding.evidence.push_back(
        {"await {} ms, above {} ms", {figure_text(ms, 1), figure_text(t.disk_await * 1000)}});
    finding.evidence.push_back(
        {"{} requests outstanding on average", {figure_text(*queue.mean(), 1)}});
    if (Number io = span.figure("pressure.io_some_share").mean()) {
      finding.evidence.push_back(
          {"some task waited for I/O {} % of the time (PSI)", {figure_text(*io)}});
    }
    finding.advice.push_back(
        "keep the data on a faster disk or in memory; read ahead with more workers");
    return finding;
  }
  if (!seen) return Message{};
  return Message{"no disk is slow while tasks wait for it"};
}

Outcome small_files(const Span& span, const Thresholds& t) {
  bool seen = false;
  for (const std::string& disk : span.instances(TableId::disk)) {
    if (!whole_disk(span, disk)) continue;
    Series reads = span.rate(schema::disk["reads"], disk);
    Series size = span.figure("disk.read_size", disk);
    seen = seen || reads.mean().has();
    auto many = [&](double rate) { return rate >= t.disk_small_reads; };
    bool small = persists(size, t, [&](double bytes) { return bytes <= t.disk_small_size; });
    if (!persists(reads, t, many) || !small || !tasks_wait(span, t)) continue;
    Finding finding = found(span, t, "disk.small_files");
    finding.score = 0.55;
    finding.since_ns = since(reads, t, many);
    finding.culprit = Culprit{"device", 0, disk, ""};
    finding.title = {"very many small reads on disk {}", {disk}};
    finding.evidence.push_back({"{} reads a second of {} KiB each",
                                {figure_text(*reads.mean()), figure_text(*size.mean() / 1024, 1)}});
    finding.advice.push_back(
        "pack the files (TFRecord, WebDataset, LMDB), so that a read brings many samples");
    return finding;
  }
  if (!seen) return Message{};
  return Message{"no disk serves very many small reads that tasks wait for"};
}

Outcome full(const Span& span, const Thresholds& t) {
  bool seen = false;
  for (const std::string& mount : span.instances(TableId::filesystem)) {
    if (mount == "/dev/shm") continue;  // memory.shm
    if (span.gauge(schema::filesystem["read_only"], mount).mean().value_or(0) > 0) continue;
    Number used = span.figure("filesystem.used_share", mount).mean();
    Number inodes = span.figure("filesystem.inodes_share", mount).mean();
    seen = seen || used.has();
    bool space = used && *used >= t.filesystem_used;
    bool nodes = inodes && *inodes >= t.filesystem_used;
    if (!space && !nodes) continue;
    Finding finding = found(span, t, "disk.full");
    finding.severity = Severity::critical;
    finding.score = 0.9;
    finding.culprit = Culprit{"filesystem", 0, mount, ""};
    finding.title = space ? Message{"file system {} is full", {mount}}
                          : Message{"file system {} has no inodes left", {mount}};
    finding.evidence.push_back({"{} % of it is used", {figure_text(space ? *used : *inodes, 1)}});
    finding.advice.push_back("delete old checkpoints and logs, or write elsewhere");
    return finding;
  }
  if (!seen) return Message{};
  return Message{"no file system is full"};
}

}  // namespace

std::span<const Rule> disk_rules() {
  static constexpr std::array kRules{
      Rule{"disk.full", 1, full},
      Rule{"disk.small_files", 40, small_files},
      Rule{"disk.latency", 41, latency},
  };
  return kRules;
}

}  // namespace tacho
