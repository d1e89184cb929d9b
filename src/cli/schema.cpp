// tacho schema: every metric as it is declared, for people, for programs, and as docs/metrics.md.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/table_names.h"
#include "derive/figure.h"
#include "render/json.h"
#include "render/palette.h"
#include "render/text.h"
#include "render/width.h"
#include "schema/catalog.h"

namespace tacho::cli {
namespace {

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::key:
      return "key";
    case Kind::counter:
      return "counter";
    case Kind::gauge:
      return "gauge";
    case Kind::text:
      return "text";
    case Kind::flags:
      return "flags";
  }
  return "";
}

std::string_view type_name(Type type) {
  switch (type) {
    case Type::u64:
      return "u64";
    case Type::u32:
      return "u32";
    case Type::i64:
      return "i64";
    case Type::text:
      return "text";
  }
  return "";
}

/// "/proc/meminfo MemFree", "/proc/diskstats column 5", "statfs free".
std::string place_text(const Place& place) {
  const Source& source = *place.source;
  std::string path(source.path);
  size_t part = path.find('#');  // of a file that holds several things: "proc/stat#cpu"
  if (part != std::string::npos) path[part] = ' ';
  bool file = path.rfind("proc/", 0) == 0 || path.rfind("sys/", 0) == 0;
  std::string out = (file ? "/" : "") + path;
  if (source.shape == Shape::rows || source.shape == Shape::hexrows) {
    return fmt::format("{} column {}", out, place.index);
  }
  if (source.shape == Shape::record) {
    return fmt::format("{} offset {}, {} bytes", out, place.index, place.size);
  }
  if (!place.key.empty()) out += fmt::format(" {}", place.key);
  if (!place.field.empty()) out += fmt::format(" {}", place.field);
  return out;
}

std::vector<std::string> sources(const Metric& metric) {
  std::vector<std::string> out;
  for (const Place& place : metric.from) {
    if (place.source) out.push_back(place_text(place));
  }
  return out;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string cadence_text(Cadence cadence) {
  switch (cadence.when) {
    case Cadence::When::every_sample:
      return std::string(translate("every sample"));
    case Cadence::When::every:
      return to_text({"every {} s", {std::to_string(cadence.seconds)}});
    case Cadence::When::on_change:
      return to_text({"on change, looked at every {} s", {std::to_string(cadence.seconds)}});
    case Cadence::When::on_request:
      return to_text({"on request, never recorded", {}});
  }
  return "";
}

/// A metric, or a figure that is derived from metrics.
struct Entry {
  std::string_view name;
  std::string_view kind;
  std::string_view unit;
  std::string_view help;
  std::vector<std::string> sources;
};

std::vector<Entry> entries(const TableView& table) {
  std::vector<Entry> out;
  for (const Metric& m : table.metrics)
    out.push_back({m.name, kind_name(m.kind), symbol(m.unit.dimension), m.help, sources(m)});
  for (const Figure& figure : figures()) {
    if (figure.table != table.id) continue;
    out.push_back({figure.name(), "figure", symbol(figure.dimension), figure.help, {}});
  }
  return out;
}

/// Each entry with its meaning, and its sources under that: neither is cut.
std::string as_text(const TableView& table, size_t width, const Palette& palette) {
  std::string out =
      hang(palette.paint(Style::bold, table.name) + ": ",
           std::string(translate(table.help)) + " (" + cadence_text(table.cadence) + ")", width);
  size_t longest = 0;
  for (const Entry& entry : entries(table))
    longest = std::max(longest, entry.name.size());
  for (const Entry& entry : entries(table)) {
    std::string left = "  " + pad_right(entry.name, longest) + "  " + pad_right(entry.kind, 7) +
                       "  " + pad_right(entry.unit, 5) + "  ";
    out += hang(left, translate(entry.help), width);
    if (entry.sources.empty()) continue;
    std::string indent(display_width(left), ' ');
    out += palette.paint(Style::dim, hang(indent, joined(entry.sources, ", else "), width));
  }
  return out;
}

std::string as_markdown(const TableView& table) {
  auto cell = [](std::string text) {
    for (size_t bar = 0; (bar = text.find('|', bar)) != std::string::npos; bar += 2)
      text.insert(bar, "\\");
    return text;
  };
  std::string out = fmt::format(
      "## {}\n\n{}; {}.\n\n| metric | kind | unit | meaning | source |\n"
      "|---|---|---|---|---|\n",
      table.name, table.help, cadence_text(table.cadence));
  for (const Entry& entry : entries(table)) {
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, entry.kind, entry.unit,
                       cell(std::string(entry.help)), cell(joined(entry.sources, ", else ")));
  }
  return out + "\n";
}

Json as_json(const TableView& table) {
  Json metrics = Json::array();
  for (const Metric& m : table.metrics) {
    Json metric{{"name", m.name},
                {"kind", kind_name(m.kind)},
                {"type", type_name(m.type)},
                {"unit", symbol(m.unit.dimension)},
                {"stored_num", m.unit.num},
                {"stored_den", m.unit.den},
                {"sources", sources(m)},
                {"help", translate(m.help)}};
    if (!m.alias.empty()) metric["alias"] = m.alias;
    metrics.push_back(std::move(metric));
  }
  Json derived = Json::array();
  for (const Figure& figure : figures()) {
    if (figure.table != table.id) continue;
    derived.push_back({{"name", figure.name()},
                       {"unit", symbol(figure.dimension)},
                       {"help", translate(figure.help)}});
  }
  return {{"table", table.name},
          {"help", translate(table.help)},
          {"cadence", cadence_text(table.cadence)},
          {"metrics", std::move(metrics)},
          {"figures", std::move(derived)}};
}

constexpr std::string_view kMarkdownHead =
    "# Metrics\n\n"
    "Printed by `tacho schema --markdown` from the declarations in `src/schema/` and\n"
    "`src/derive/figure.cpp`; do not edit. A figure is derived from metrics of its table.\n"
    "Counters only grow: `tacho dump` shows them as rates per second. Where a source is missing, "
    "the next one named is used.\n\n";

}  // namespace

int schema(int argc, char** argv) {
  bool json = false;
  bool markdown = false;
  std::vector<std::string> names;
  Arguments args("schema", "Every metric of every table, or of one: unit, kind, source, meaning.");
  args.words("TABLE", names, 0, kTableCount);
  args.flag("--json", json, "as JSON");
  args.flag("--markdown", markdown, "as docs/metrics.md");
  if (auto code = args.parse(argc, argv)) return *code;
  auto tables = named_tables(names);
  if (!tables) return usage_error("schema", tables.error().what);

  if (json) {
    Json all = Json::array();
    for (TableId id : *tables)
      all.push_back(as_json(table_view(id)));
    print(to_string(all, 2) + "\n");
    return kDone;
  }
  std::string out(markdown ? kMarkdownHead : "");
  Palette palette(wants_colour(STDOUT_FILENO));
  size_t width = terminal_width(STDOUT_FILENO);
  for (TableId id : *tables) {
    if (markdown) {
      out += as_markdown(table_view(id));
    } else {
      if (!out.empty()) out += "\n";
      out += as_text(table_view(id), width, palette);
    }
  }
  if (markdown) out.pop_back();  // no empty line at the end
  print(out);
  return kDone;
}

}  // namespace tacho::cli
