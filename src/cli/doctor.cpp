// tacho doctor: what can be seen on this machine, what cannot, and how to allow it.
#include <langinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "cli/survey.h"
#include "collect/live_cursor.h"
#include "recorder/control.h"
#include "recorder/protection.h"
#include "recording/reader.h"
#include "render/json.h"
#include "render/palette.h"
#include "render/text.h"
#include "render/width.h"

namespace tacho::cli {
namespace {

/// One line of the report.
struct Line {
  std::string what;
  enum class State { good, partly, bad, none } state = State::none;
  std::string text;    ///< what was found
  std::string remedy;  ///< how to have more; may be empty
};
using Lines = std::vector<Line>;

/// "read_chars, write_chars and 4 more": few words for many metrics.
std::string names_of(const std::vector<std::string>& names) {
  constexpr size_t kNamed = 3;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

Line describe_table(const TableSurvey& table) {
  Line line;
  line.what = table_view(table.table).name;
  if (table.seen == TableSurvey::Seen::nothing) {
    line.state = Line::State::bad;
    line.text = to_text(table.reason);
    line.remedy = translate(remedy(table.table, table.reason));
    return line;
  }
  bool partly = table.seen == TableSurvey::Seen::partly;
  line.state = partly ? Line::State::partly : Line::State::good;
  line.text = table.instances == 1 ? "" : fmt::format("{} instances", table.instances);
  for (const Missing& missing : table.missing) {
    if (!line.text.empty()) line.text += "; ";
    std::string where = missing.instances < table.instances
                            ? fmt::format(" for {} of them", missing.instances)
                            : std::string();
    line.text += fmt::format("{}: {}{}", to_text(missing.reason), names_of(missing.metrics), where);
    bool helps = missing.reason != Absent::not_supported && line.remedy.empty() && geteuid() != 0;
    if (helps) line.remedy = translate(remedy(table.table, missing.reason));
  }
  return line;
}

/// A sample of everything; of the running machine one that has a second one before it.
Result<SamplePtr> look(const std::optional<std::string>& root) {
  auto machine = Machine::live();
  if (root) {
    auto rooted = Machine::rooted({*root});
    if (!rooted) return tl::unexpected(rooted.error());
    machine = *rooted;
  }
  CollectorOptions options;
  options.first_wait_ns = 2 * kSecond;
  auto cursor = open_live(machine, Selection::all(), kSecond / 4, options);
  if (!cursor) return tl::unexpected(cursor.error());
  auto sample = (*cursor)->first();
  if (sample && machine->is_live()) sample = (*cursor)->next();
  return sample;
}

/// What the recorder could do for itself, tried in a child that ends at once.
Lines try_protection() {
  Lines lines;
  int ends[2];
  if (pipe(ends) != 0) return lines;
  Fd reading(ends[0]);
  Fd writing(ends[1]);
  pid_t child = fork();
  if (child < 0) return lines;
  if (child == 0) {
    std::string text;
    for (const Protection& p : protect_this_process(false))
      text += fmt::format("{}\t{}\t{}\n", p.what, p.done ? 1 : 0, p.reason);
    (void)write_all(writing.get(), text);
    _exit(0);
  }
  writing.reset();
  std::string text;
  char bytes[4096];
  for (ssize_t got = 0; (got = read(reading.get(), bytes, sizeof bytes)) != 0;) {
    if (got > 0) text.append(bytes, static_cast<size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  for (std::string_view row : split(text, '\n')) {
    auto parts = split(row, '\t');
    if (parts.size() != 3) continue;
    bool done = parts[1] == "1";
    lines.push_back({std::string(parts[0]), done ? Line::State::good : Line::State::partly,
                     std::string(parts[2]),
                     done ? "" : "as root, or as the service, the recorder protects itself"});
  }
  return lines;
}

Line recorder_line(const std::string& folder) {
  auto answer = ask_recorder(folder, R"({"command":"status"})");
  if (answer) return {"recorder", Line::State::good, "runs, in " + folder, ""};
  if (answer.error().code == Errc::no_permission)
    return {"recorder", Line::State::partly, answer.error().what, ""};
  auto held = describe_recording(folder);
  std::string text = held ? "none runs; " + folder + " holds a recording" : "none runs";
  return {"recorder", Line::State::partly, text, "tacho record -b begins to record"};
}

Lines surroundings(const std::string& folder, const Config& config) {
  Lines lines;
  lines.push_back(recorder_line(folder));
  for (Line& line : try_protection())
    lines.push_back(std::move(line));
  std::string files;
  for (const std::string& file : config.files)
    files += (files.empty() ? "" : ", ") + file;
  lines.push_back({"configuration", Line::State::good,
                   files.empty() ? "no file, all as tacho doctor --config shows" : files, ""});
  std::setlocale(LC_CTYPE, "");
  std::string codeset = nl_langinfo(CODESET);
  bool utf8 = codeset == "UTF-8";
  lines.push_back({"characters", utf8 ? Line::State::good : Line::State::partly, codeset,
                   utf8 ? "" : "set LC_ALL=C.UTF-8 to see names as they are"});
  bool root = geteuid() == 0;
  lines.push_back(
      {"user", root ? Line::State::good : Line::State::partly, root ? "root" : "not root", ""});
  return lines;
}

constexpr const char* word(Line::State state) {
  switch (state) {
    case Line::State::good:
      return "yes";
    case Line::State::partly:
      return "partly";
    case Line::State::bad:
      return "no";
    case Line::State::none:
      break;
  }
  return "-";
}

Style style_of(Line::State state) {
  switch (state) {
    case Line::State::good:
      return Style::good;
    case Line::State::partly:
      return Style::warning;
    case Line::State::bad:
      return Style::critical;
    case Line::State::none:
      break;
  }
  return Style::plain;
}

void render(const char* title, const Lines& lines, std::string& out) {
  Palette palette(wants_colour(STDOUT_FILENO));
  size_t width = std::min<size_t>(terminal_width(STDOUT_FILENO), 120);
  out += palette.paint(Style::bold, translate(title)) + "\n";
  for (const Line& line : lines) {
    std::string first = pad_right("  " + line.what, 26);
    first += palette.paint(style_of(line.state), translate(word(line.state)));
    if (line.text.empty()) {
      out += first + "\n";
    } else {
      size_t taken = display_width(first);
      out += hang(first + std::string(taken < 34 ? 34 - taken : 1, ' '), escape_control(line.text),
                  width);
    }
    if (!line.remedy.empty()) out += hang(std::string(34, ' ') + "> ", line.remedy, width);
  }
}

Json to_json(const Lines& lines) {
  Json all = Json::array();
  for (const Line& line : lines) {
    all.push_back({{"what", line.what},
                   {"state", word(line.state)},
                   {"text", line.text},
                   {"remedy", line.remedy.empty() ? Json(nullptr) : Json(line.remedy)}});
  }
  return all;
}

}  // namespace

int doctor(int argc, char** argv) {
  std::optional<std::string> dir;
  std::optional<std::string> root;
  bool as_json = false;
  bool show_config = false;
  Arguments args("doctor", "What can be seen on this machine, what cannot, and how to allow it.");
  args.value("--dir", dir, "DIR", "the recording's folder");
  args.value("--root", root, "DIR", "the machine in that folder instead of this one");
  args.flag("--config", show_config, "prints a configuration file with every key and its default");
  args.flag("--json", as_json, "as JSON");
  if (auto code = args.parse(argc, argv)) return *code;
  if (show_config) {
    print(example_config());
    return kDone;
  }
  auto config = load_config();
  if (!config) return failed("doctor", config.error());
  auto sample = look(root);
  if (!sample) return failed("doctor", sample.error());
  Lines seen;
  for (const TableSurvey& table : survey(**sample))
    seen.push_back(describe_table(table));
  Lines around = root ? Lines{} : surroundings(folder_to_read(dir), *config);
  if (as_json) {
    Json json{
        {"schema", "tacho.doctor/1"}, {"seen", to_json(seen)}, {"recording", to_json(around)}};
    print(to_string(json, 2) + "\n");
    return kDone;
  }
  std::string out;
  render("What can be seen", seen, out);
  if (!around.empty()) {
    out += "\n";
    render("Recording", around, out);
  }
  print(out);
  return kDone;
}

}  // namespace tacho::cli
