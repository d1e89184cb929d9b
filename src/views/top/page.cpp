#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/text.h"
#include "render/number.h"
#include "render/width.h"
#include "schema/cpu.h"
#include "schema/host.h"
#include "schema/memory.h"
#include "schema/process.h"
#include "schema/system.h"
#include "views/top/fields.h"
#include "views/top/format.h"
#include "views/top/summary.h"
#include "views/top/top.h"

namespace tacho {
namespace top {
namespace {

using schema::process;
using schema::thread;

constexpr std::array kShown{"PID", "USER", "PR",   "NI",   "VIRT",  "RES",
                            "SHR", "S",    "%CPU", "%MEM", "TIME+", "COMMAND"};

std::vector<const TopField*> shown_fields(const TopOptions& options) {
  if (!options.fields.empty()) return options.fields;
  std::vector<const TopField*> shown;
  for (const char* name : kShown)
    shown.push_back(&field(name));
  return shown;
}
const TopField& sort_field(const TopOptions& options) {
  return options.sort != nullptr ? *options.sort : field("%CPU");
}

// Which tasks -------------------------------------------------------------------------------------

bool is_of(const TopTask& t, const TopUser& user) {
  if (t.process == TopTask::kNone) return false;
  const Rows& rows = *t.frame->window.table(TableId::process).rows();
  if (!user.uid) return rows.text(t.process, process["user"]) == user.name;
  auto has = [&](Column column) {
    Value id = rows.at(t.process, column);
    return id && id.bits == *user.uid;
  };
  if (has(process["uid"])) return true;
  return user.any &&
         (has(process["real_uid"]) || has(process["saved_uid"]) || has(process["file_uid"]));
}

bool is_shown(const TopTask& t) {
  const TopOptions& options = t.frame->options;
  if (options.busy_only && !(cpu(t).value_or(0) > 0)) return false;
  return !options.user || is_of(t, *options.user) != options.user->others;
}

bool is_chosen(const TopOptions& options, uint64_t pid) {
  return options.pids.empty() || std::ranges::find(options.pids, pid) != options.pids.end();
}

/// Every task, and what is counted of them.
std::vector<TopTask> gather(const TopFrame& frame, TaskCounts& counts) {
  const TableWindow& processes = frame.window.table(TableId::process);
  std::vector<TopTask> tasks;
  counts.known = processes.rows() != nullptr && processes.rows()->absent == Absent::no;
  std::unordered_map<uint64_t, size_t> by_pid;
  for (size_t row = 0; row < processes.size(); ++row) {
    uint64_t pid = processes.rows()->at(row, process["pid"]).bits;
    if (frame.options.threads) {
      by_pid.emplace(pid, row);
    } else if (is_chosen(frame.options, pid)) {
      tasks.push_back({&frame, row, TopTask::kNone});
      counts.add(processes.text(row, process["state"]));
    }
  }
  if (!frame.options.threads) return tasks;
  const TableWindow& threads = frame.window.table(TableId::thread);
  counts.known = threads.rows() != nullptr && threads.rows()->absent == Absent::no;
  for (size_t row = 0; row < threads.size(); ++row) {
    uint64_t pid = threads.rows()->at(row, thread["pid"]).bits;
    uint64_t tid = threads.rows()->at(row, thread["tid"]).bits;
    if (!is_chosen(frame.options, pid) && !is_chosen(frame.options, tid)) continue;
    auto owner = by_pid.find(pid);
    tasks.push_back({&frame, owner == by_pid.end() ? TopTask::kNone : owner->second, row});
    counts.add(threads.text(row, thread["state"]));
  }
  return tasks;
}

// In which order ----------------------------------------------------------------------------------

struct Keyed {
  TopTask task;
  Number number;
  std::string text;
  double pid = 0;
};

/// What is absent comes last in either direction; equals come by process id.
bool comes_before(const Keyed& a, const Keyed& b, bool by_text, bool ascending) {
  bool a_has = by_text ? !a.text.empty() : a.number.has();
  bool b_has = by_text ? !b.text.empty() : b.number.has();
  if (a_has != b_has) return a_has;
  if (a_has && by_text && a.text != b.text) return (a.text < b.text) == ascending;
  if (a_has && !by_text && *a.number != *b.number) return (*a.number < *b.number) == ascending;
  return a.pid < b.pid;
}

std::vector<Keyed> sorted(const std::vector<TopTask>& tasks, const TopOptions& options) {
  const TopField& by = sort_field(options);
  const TopField& pid = field("PID");
  std::vector<Keyed> keyed;
  keyed.reserve(tasks.size());
  for (const TopTask& task : tasks) {
    if (!is_shown(task)) continue;
    Keyed& key = keyed.emplace_back(Keyed{task, {}, {}, number_of(pid, task).value_or(0)});
    if (by.is_text()) {
      key.text = text_of(by, task);
    } else {
      key.number = number_of(by, task);
    }
  }
  std::ranges::sort(keyed, [&](const Keyed& a, const Keyed& b) {
    return comes_before(a, b, by.is_text(), options.ascending);
  });
  return keyed;
}

// In which columns --------------------------------------------------------------------------------

struct Placed {
  const TopField* field;
  int width;
};

int digits(double number) {
  return static_cast<int>(fmt::format("{:.0f}", number).size());
}

/// Five columns, or as many as the largest id of this machine has digits.
int pid_width(const Window& window) {
  const TableWindow& host = window.table(TableId::host);
  Number most = host.size() > 0 ? host.gauge(0, schema::host["pid_max"]) : Number();
  int width = most ? digits(*most - 1) : 0;
  const TableWindow& processes = window.table(TableId::process);
  for (size_t row = 0; !most && row < processes.size(); ++row)
    width = std::max(width, digits(processes.gauge(row, process["pid"]).value_or(0)));
  return std::clamp(width, 5, 10);
}

int width_of(const TopField& field, const Window& window) {
  switch (field.width) {
    case TopField::kOfPids:
      return pid_width(window);
    case TopField::kOfCpus: {
      size_t cpus = window.table(TableId::cpu).size();
      return digits(static_cast<double>(std::max<size_t>(cpus, 2) - 1));
    }
    default:
      return field.width;
  }
}

/// As many columns as the width takes; those of variable width share what the others leave, the
/// last of the line with the blank that would follow it.
std::vector<Placed> place(const TopFrame& frame) {
  std::vector<Placed> placed;
  auto room = static_cast<int>(frame.options.width);
  int variable = 0;
  int shared = 0;
  for (const TopField* field : shown_fields(frame.options)) {
    auto title = static_cast<int>(std::string_view(field->name).size());
    bool is_variable = field->width == TopField::kVariable;
    int width = is_variable ? title : width_of(*field, frame.window);
    if (room < width + (placed.empty() ? 0 : 1)) break;
    room -= width + 1;
    variable += is_variable ? 1 : 0;
    shared += is_variable ? title : 0;
    placed.push_back({field, is_variable ? TopField::kVariable : width});
  }
  if (variable == 0) return placed;
  int each = (shared + std::max(room, 0)) / variable;
  for (Placed& column : placed) {
    if (column.width != TopField::kVariable) continue;
    bool last = &column == &placed.back();
    column.width = last ? shared + room + 1 - each * (variable - 1) : each;
  }
  return placed;
}

void put(std::string& line, std::string_view text, const Placed& column) {
  if (column.field->align == Align::right) {
    line += pad_left(text, static_cast<size_t>(column.width));
  } else {
    line += pad_right(text, static_cast<size_t>(column.width));
  }
  line += ' ';
}
std::string finished(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace
}  // namespace top

using namespace top;

Selection top_selection(const TopOptions& options) {
  Selection selection{TableId::host, TableId::cpu, TableId::system, TableId::memory};
  for (Column column : {process["pid"], process["start"], process["state"], process["user_time"],
                        process["system_time"], process["threads"]}) {
    selection.want(column);
  }
  auto fields = shown_fields(options);
  fields.push_back(&sort_field(options));
  for (const TopField* shown : fields) {
    for (size_t i = 0; i < shown->needed; ++i) {
      if (shown->needs[i] == process["command_line"] && !options.command_line) continue;
      selection.want(shown->needs[i]);
    }
    if (std::string_view(shown->name) == "NU") selection.add(TableId::cpu_clock);
  }
  if (options.user) {
    selection.want(process["uid"]);
    if (!options.user->uid) selection.want(process["user"]);
    for (Column column : {process["real_uid"], process["saved_uid"], process["file_uid"]}) {
      if (options.user->any) selection.want(column);
    }
  }
  if (options.threads) selection.add(TableId::thread);
  return selection;
}

std::string top_page(const Window& window, const TopOptions& options) {
  TopFrame frame(window, options);
  TaskCounts counts;
  std::vector<TopTask> tasks = gather(frame, counts);
  std::vector<Keyed> lines = sorted(tasks, options);
  std::string page;
  size_t printed = 0;
  for (const std::string& line : summary(window, options, counts)) {
    page += line + "\n";
    ++printed;
  }
  std::vector<Placed> columns = place(frame);
  std::string titles;
  for (const Placed& column : columns)
    put(titles, column.field->name, column);
  page += "\n" + finished(titles);
  printed += 2;
  for (const Keyed& line : lines) {
    if (options.lines > 0 && ++printed > options.lines) break;
    std::string text;
    for (const Placed& column : columns)
      put(text, cell(*column.field, line.task, column.width), column);
    page += finished(std::move(text));
  }
  return page;
}

Json top_json(const Window& window, const TopOptions& options) {
  TopFrame frame(window, options);
  TaskCounts counts;
  std::vector<TopTask> tasks = gather(frame, counts);
  auto fields = shown_fields(options);
  const TopField& by = sort_field(options);
  if (std::ranges::find(fields, &by) == fields.end()) fields.push_back(&by);
  Json json;
  json["summary"] = summary_json(window, options, counts);
  Json& out = json["tasks"] = Json::array();
  for (const Keyed& line : sorted(tasks, options)) {
    Json& task = out.emplace_back(Json::object());
    for (const TopField* each : fields) {
      if (each->is_text()) {
        std::string text = text_of(*each, line.task);
        task[each->name] = text.empty() ? Json(nullptr) : Json(std::move(text));
      } else {
        Number value = number_of(*each, line.task);
        bool kib = each->form == TopField::Form::memory && value;
        task[each->name] = to_json(kib ? Number(*value / 1024) : value);
      }
    }
  }
  return json;
}

}  // namespace tacho
