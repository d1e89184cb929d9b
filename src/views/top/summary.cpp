#include "views/top/summary.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "derive/figure.h"
#include "render/number.h"
#include "render/width.h"
#include "schema/cpu.h"
#include "schema/host.h"
#include "schema/memory.h"
#include "schema/system.h"

namespace tacho::top {
namespace {

using figure::CpuPart;

/// A gauge of a table with one row.
Number single(const Window& window, Column column) {
  const TableWindow& table = window.table(column.table);
  return table.size() > 0 ? table.gauge(0, column) : Number(table.absent());
}
Number of_memory(const Window& window, Number (*figure)(const Window&, size_t)) {
  const TableWindow& table = window.table(TableId::memory);
  return table.size() > 0 ? figure(window, 0) : Number(table.absent());
}

// Uptime, users, load -----------------------------------------------------------------------------

std::string uptime(int64_t seconds) {
  int64_t minutes = seconds / 60;
  int64_t hours = minutes / 60;
  int64_t days = hours / 24;
  std::string text = days > 0 ? fmt::format("{} day{}, ", days, days > 1 ? "s" : "") : "";
  return text + (hours % 24 > 0 ? fmt::format("{:2}:{:02}, ", hours % 24, minutes % 60)
                                : fmt::format("{} min, ", minutes % 60));
}

std::string first_line(const Window& window) {
  const Clocks& clock = window.end().clock;
  Number users = single(window, schema::host["users"]);
  return fmt::format("top - {} up {}{:>2} user{},  load average: {}, {}, {}",
                     local_time(clock.realtime_ns, "%H:%M:%S"), uptime(clock.boottime_ns / kSecond),
                     format_fixed(users, 0), users && *users == 1 ? "" : "s",
                     format_fixed(single(window, schema::system["load_1"]), 2),
                     format_fixed(single(window, schema::system["load_5"]), 2),
                     format_fixed(single(window, schema::system["load_15"]), 2));
}

// Tasks -------------------------------------------------------------------------------------------

constexpr std::array<std::pair<const char*, size_t TaskCounts::*>, 5> kCounts{{
    {"total", &TaskCounts::total},
    {"running", &TaskCounts::running},
    {"sleeping", &TaskCounts::sleeping},
    {"stopped", &TaskCounts::stopped},
    {"zombie", &TaskCounts::zombie},
}};

std::string tasks_line(const TopOptions& options, const TaskCounts& counts) {
  std::string line = options.threads ? "Threads:" : "Tasks:";
  for (size_t i = 0; i < kCounts.size(); ++i) {
    Number count = counts.known ? Number(static_cast<double>(counts.*kCounts[i].second))
                                : Number(Absent::not_recorded);
    line += fmt::format("{} {:>3} {}", i > 0 ? "," : "", format_fixed(count, 0), kCounts[i].first);
  }
  return line;
}

// CPUs --------------------------------------------------------------------------------------------

/// In the original's order, by its names.
constexpr std::array<std::pair<const char*, CpuPart>, 8> kParts{{
    {"us", CpuPart::user},
    {"sy", CpuPart::system},
    {"ni", CpuPart::nice},
    {"id", CpuPart::idle},
    {"wa", CpuPart::iowait},
    {"hi", CpuPart::irq},
    {"si", CpuPart::softirq},
    {"st", CpuPart::steal},
}};

/// A window so short that no tick fell into it was idle, as far as ticks can tell.
Number part_of(const Window& window, size_t row, CpuPart part) {
  Number share = figure::cpu_share(window, row, part);
  if (share.absent != Absent::not_applicable) return share;
  return part == CpuPart::idle ? 100.0 : 0.0;
}

std::string cpu_line(const Window& window, size_t row, const std::string& label) {
  std::string line = label;
  for (size_t i = 0; i < kParts.size(); ++i) {
    line += fmt::format("{}{:>5} {}", i > 0 ? "," : "",
                        format_fixed(part_of(window, row, kParts[i].second), 1), kParts[i].first);
  }
  return line + " ";
}

std::string cpu_label(std::string_view name) {
  return name == "cpu" ? "%Cpu(s):" : fmt::format("%Cpu{:<3}:", name.substr(3));
}

/// Two lines as one where both fit, as the original's -1 has them.
void add_pairs(std::vector<std::string>& lines, const std::vector<std::string>& parts,
               size_t width) {
  for (size_t i = 0; i < parts.size(); ++i) {
    bool pair = i + 1 < parts.size() &&
                display_width(parts[i]) + 2 + display_width(parts[i + 1]) <= width + 1;
    lines.push_back(pair ? parts[i] + "  " + parts[i + 1] : parts[i]);
    if (pair) ++i;
  }
}

std::vector<std::string> cpu_lines(const Window& window, const TopOptions& options) {
  const TableWindow& cpus = window.table(TableId::cpu);
  std::vector<std::string> parts;
  for (size_t row = 0; row < cpus.size(); ++row) {
    std::string_view name = cpus.text(row, schema::cpu["cpu"]);
    if ((name != "cpu") == options.each_cpu)
      parts.push_back(cpu_line(window, row, cpu_label(name)));
  }
  if (cpus.size() == 0) {
    std::string line = "%Cpu(s):";
    for (size_t i = 0; i < kParts.size(); ++i)
      line += fmt::format("{}{:>5} {}", i > 0 ? "," : "", kAbsentText, kParts[i].first);
    parts.push_back(line + " ");
  }
  return parts;
}

// Memory ------------------------------------------------------------------------------------------

struct MemoryFigure {
  const char* key;
  Number bytes;
};
using MemoryFigures = std::array<MemoryFigure, 4>;

MemoryFigures memory_figures(const Window& window) {
  return {{{"total", single(window, schema::memory["total"])},
           {"free", single(window, schema::memory["free"])},
           {"used", of_memory(window, figure::memory_used)},
           {"buff/cache", of_memory(window, figure::memory_cached)}}};
}
MemoryFigures swap_figures(const Window& window) {
  return {{{"total", single(window, schema::memory["swap_total"])},
           {"free", single(window, schema::memory["swap_free"])},
           {"used", of_memory(window, figure::swap_used)},
           {"avail Mem", single(window, schema::memory["available"])}}};
}

/// Nine columns with a space at their end, or a '+' where that was cut off.
std::string memory_figure(Number bytes, int unit) {
  Number scaled = bytes ? Number(*bytes / std::pow(1024.0, unit + 1)) : bytes;
  std::string text = format_fixed(scaled, unit == 0 ? 0 : 1) + " ";
  if (text.size() > 9) text = text.substr(0, 8) + "+";
  return fmt::format("{:>9}", text);
}

std::string memory_line(const MemoryFigures& figures, const char* name, const char* last,
                        int unit) {
  std::string line = fmt::format("{}iB {}:", static_cast<char>("kmgtpe"[unit] - 'a' + 'A'), name);
  for (size_t i = 0; i < figures.size(); ++i) {
    const char* between = i == 3 ? last : i == 0 ? " " : ", ";
    line += fmt::format("{}{}{}", between, memory_figure(figures[i].bytes, unit), figures[i].key);
  }
  return line;
}

Json json_of(const MemoryFigures& figures) {
  Json json = Json::object();
  for (const MemoryFigure& figure : figures)
    json[figure.key] = to_json(figure.bytes);
  return json;
}

}  // namespace

void TaskCounts::add(std::string_view state) {
  known = true;
  ++total;
  if (state == "R") {
    ++running;
  } else if (state == "T" || state == "t") {
    ++stopped;
  } else if (state == "Z") {
    ++zombie;
  } else {
    ++sleeping;
  }
}

std::vector<std::string> summary(const Window& window, const TopOptions& options,
                                 const TaskCounts& counts) {
  std::vector<std::string> lines{first_line(window), tasks_line(options, counts)};
  std::vector<std::string> cpus = cpu_lines(window, options);
  int unit = options.summary_unit;
  std::vector<std::string> memory{memory_line(memory_figures(window), "Mem ", ", ", unit) + "     ",
                                  memory_line(swap_figures(window), "Swap", ". ", unit) + " "};
  if (options.each_cpu) {
    add_pairs(lines, cpus, options.width);
    add_pairs(lines, memory, options.width);
  } else {
    lines.insert(lines.end(), cpus.begin(), cpus.end());
    lines.insert(lines.end(), memory.begin(), memory.end());
  }
  for (std::string& line : lines)
    line.resize(std::min(line.size(), options.width));  // all of it is ASCII
  return lines;
}

Json summary_json(const Window& window, const TopOptions& options, const TaskCounts& counts) {
  Json json;
  json["uptime"] = to_json(static_cast<double>(window.end().clock.boottime_ns) / 1e9);
  json["users"] = to_json(single(window, schema::host["users"]));
  json["load average"] = Json::array();
  for (Column column :
       {schema::system["load_1"], schema::system["load_5"], schema::system["load_15"]}) {
    Number load = single(window, column);
    json["load average"].push_back(to_json(load ? Number(std::round(*load * 100) / 100) : load));
  }
  Json& tasks = json[options.threads ? "threads" : "tasks"] = Json::object();
  for (const auto& [name, member] : kCounts)
    tasks[name] = counts.known ? Json(counts.*member) : Json(nullptr);
  Json& cpus = json["cpu"] = Json::object();
  const TableWindow& table = window.table(TableId::cpu);
  for (size_t row = 0; row < table.size(); ++row) {
    std::string_view name = table.text(row, schema::cpu["cpu"]);
    if (name != "cpu" && !options.each_cpu) continue;
    Json& parts = cpus[std::string(name)] = Json::object();
    for (const auto& [key, part] : kParts)
      parts[key] = to_json(part_of(window, row, part));
  }
  json["memory"] = json_of(memory_figures(window));
  json["swap"] = json_of(swap_figures(window));
  json["memory"]["available"] = json["swap"]["avail Mem"];
  json["swap"].erase("avail Mem");
  return json;
}

}  // namespace tacho::top
