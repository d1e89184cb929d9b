#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "render/fields.h"
#include "render/width.h"
#include "schema/host.h"
#include "views/column.h"
#include "views/iostat/columns.h"

namespace tacho {

using namespace iostat;

namespace {

constexpr int kNameWidth = 13;

std::string host_text(const Sample& sample, tacho::Column column) {
  const Rows* host = sample.rows(TableId::host);
  if (host == nullptr || host->empty() || !host->at(0, column)) return kAbsentText;
  return escape_control(host->text(0, column));
}
std::string cpus_of(const Sample& sample) {
  const Rows* host = sample.rows(TableId::host);
  if (host == nullptr || host->empty()) return kAbsentText;
  Value cpus = host->at(0, schema::host["cpus"]);
  return cpus ? fmt::format("{}", cpus.bits) : std::string(kAbsentText);
}

std::string date_of(int64_t realtime_ns, const IostatOptions& options) {
  return local_time(realtime_ns, options.iso_time ? "%Y-%m-%d" : "%x");
}
std::string timestamp_of(int64_t realtime_ns, const IostatOptions& options) {
  return local_time(realtime_ns, options.iso_time ? "%Y-%m-%dT%H:%M:%S%z" : "%x %X");
}

std::string cpu_block(const Window& window, const IostatOptions& options) {
  FieldLine line;
  line.add("", 7);
  for (const CpuShare& share : cpu_shares(window))
    line.add(percent_text(share.percent, options), 7);
  return "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n" + line.text() + "\n\n";
}

std::string header(const Columns& table, const IostatOptions& options) {
  FieldLine line;
  if (!options.pretty) line.add("Device", kNameWidth, Align::left);
  for (const iostat::DiskColumn& column : table) {
    // At the line's beginning the fields keep the space that parts them from a name.
    bool first = options.pretty && &column == &table.front();
    line.add(with_unit(column.title, options), column.width + (first ? 1 : 0));
  }
  return line.text() + (options.pretty ? " Device\n" : "\n");
}

std::string disk_block(const Window& window, const IostatOptions& options) {
  auto lines = lines_of(window, options);
  std::string out;
  for (const Columns& table : tables_of(options)) {
    if (!out.empty()) out += "\n";
    out += header(table, options);
    for (const Line& disk : lines) {
      std::string name = escape_control(disk.name);
      FieldLine line;
      if (!options.pretty) line.add(name, kNameWidth, Align::left);
      for (const iostat::DiskColumn& column : table) {
        bool first = options.pretty && &column == &table.front();
        line.add(text_of(column.of(disk.use), column, options), column.width + (first ? 1 : 0));
      }
      out += line.text();
      out += options.pretty ? " " + name + "\n" : "\n";
    }
  }
  return out;
}

/// A figure as the original's JSON has it: always a number.
std::string document_number(Number value, const iostat::DiskColumn& column,
                            const IostatOptions& options) {
  value = zero_where_none(value);
  if (!value) return "null";
  return format_fixed(shown(value, column.form, options), column.form == Form::total ? 0 : 2);
}

}  // namespace

Selection iostat_selection(const IostatOptions& options) {
  Selection selection{TableId::host};
  if (options.cpu) selection.add(TableId::cpu);
  if (options.disk) selection.add(TableId::disk);
  return selection;
}

std::string iostat_banner(const Sample& sample, const IostatOptions& options) {
  return fmt::format(
      "Linux {} ({}) \t{} \t_{}_\t({} CPU)\n\n", host_text(sample, schema::host["kernel"]),
      host_text(sample, schema::host["name"]), date_of(sample.clock.realtime_ns, options),
      host_text(sample, schema::host["arch"]), cpus_of(sample));
}

std::string iostat_report(const Window& window, const IostatOptions& options) {
  std::string out;
  if (options.timestamp) out += timestamp_of(window.end().clock.realtime_ns, options) + "\n";
  if (options.cpu) out += cpu_block(window, options);
  if (options.disk) out += disk_block(window, options);
  return out + "\n\n";
}

std::string iostat_document_head(const Sample& sample, const IostatOptions& options) {
  auto quoted = [](const std::string& text) { return to_string(Json(text)); };
  return fmt::format(
      "{{\"sysstat\": {{\n\t\"hosts\": [\n\t\t{{\n\t\t\t\"nodename\": {},\n\t\t\t\"sysname\": "
      "\"Linux\",\n\t\t\t\"release\": {},\n\t\t\t\"machine\": {},\n\t\t\t\"number-of-cpus\": "
      "{},\n\t\t\t\"date\": {},\n\t\t\t\"statistics\": [\n",
      quoted(host_text(sample, schema::host["name"])),
      quoted(host_text(sample, schema::host["kernel"])),
      quoted(host_text(sample, schema::host["arch"])),
      cpus_of(sample) == kAbsentText ? "null" : cpus_of(sample),
      quoted(date_of(sample.clock.realtime_ns, options)));
}

std::string iostat_document_report(const Window& window, const IostatOptions& options, bool first) {
  std::string out = first ? "\t\t\t\t{\n" : ",\n\t\t\t\t{\n";
  std::string parts;
  auto add = [&](const std::string& part) { parts += (parts.empty() ? "" : ",\n") + part; };
  if (options.timestamp) {
    add("\t\t\t\t\t\"timestamp\": " +
        to_string(Json(timestamp_of(window.end().clock.realtime_ns, options))));
  }
  if (options.cpu) {
    std::string cpu;
    for (const CpuShare& share : cpu_shares(window)) {
      cpu += fmt::format("{}\"{}\": {}", cpu.empty() ? "" : ", ", share.key,
                         share.percent ? format_fixed(share.percent, 2) : "null");
    }
    add("\t\t\t\t\t\"avg-cpu\":  {" + cpu + "}");
  }
  if (options.disk) {
    std::string disks;
    for (const Line& disk : lines_of(window, options)) {
      disks += (disks.empty() ? "" : ",\n") + std::string("\t\t\t\t\t\t{\"disk_device\": ") +
               to_string(Json(disk.name));
      for (const iostat::DiskColumn& column : json_columns(options)) {
        disks += fmt::format(", \"{}\": {}", with_unit(column.key, options),
                             document_number(column.of(disk.use), column, options));
      }
      disks += "}";
    }
    add("\t\t\t\t\t\"disk\": [\n" + disks + (disks.empty() ? "" : "\n") + "\t\t\t\t\t]");
  }
  return out + parts + "\n\t\t\t\t}";
}

std::string iostat_document_tail() {
  return "\n\t\t\t]\n\t\t}\n\t]\n}}\n";
}

Json iostat_json(const Window& window, const IostatOptions& options) {
  Json json{{"time", rfc3339(window.end().clock.realtime_ns, 3)},
            {"seconds", window.seconds()},
            {"since_boot", window.is_since_boot()}};
  if (options.cpu) {
    Json cpu;
    for (const CpuShare& share : cpu_shares(window))
      cpu[share.key] = to_json(share.percent);
    json["cpu"] = cpu;
  }
  if (options.disk) {
    Json disks = Json::array();
    for (const Line& line : lines_of(window, options)) {
      Json disk{
          {line.is_group ? "group" : "device", line.is_group ? line.name.substr(1) : line.name}};
      for (const iostat::DiskColumn& column : json_columns(options))
        disk[with_unit(column.key, options)] =
            to_json(shown(column.of(line.use), column.form, options));
      Number raw = line.use.raw_util();
      if (options.extended && raw && *raw > 100) disk["raw_util"] = *raw;
      disks.push_back(std::move(disk));
    }
    json["disks"] = std::move(disks);
  }
  return json;
}

}  // namespace tacho
