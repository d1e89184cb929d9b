#include "views/top/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/text.h"
#include "derive/figure.h"
#include "render/number.h"
#include "schema/cpu.h"
#include "schema/host.h"
#include "schema/process.h"
#include "views/top/format.h"

namespace tacho {
namespace top {
namespace {

using Form = TopField::Form;
using schema::process;
using schema::thread;

// Figures -----------------------------------------------------------------------------------------

const TableWindow& processes(const TopTask& t) {
  return t.frame->window.table(TableId::process);
}
const TableWindow& threads(const TopTask& t) {
  return t.frame->window.table(TableId::thread);
}
bool is_thread(const TopTask& t) {
  return t.thread != TopTask::kNone;
}

/// Of the process, also where the line is one of its threads.
template <Column column>
Number of_process(const TopTask& t) {
  if (t.process == TopTask::kNone) return Absent::not_recorded;
  return processes(t).gauge(t.process, column);
}
template <Number (*figure)(const Window&, size_t)>
Number process_figure(const TopTask& t) {
  return t.process == TopTask::kNone ? Number(Absent::not_recorded)
                                     : figure(t.frame->window, t.process);
}
/// Of the thread where the line is one.
template <Column of_its_process, Column of_thread>
Number own(const TopTask& t) {
  return is_thread(t) ? threads(t).gauge(t.thread, of_thread) : of_process<of_its_process>(t);
}
template <Column of_its_process, Column of_thread>
Number growth(const TopTask& t) {
  if (is_thread(t)) return threads(t).delta(t.thread, of_thread);
  return t.process == TopTask::kNone ? Number(Absent::not_recorded)
                                     : processes(t).delta(t.process, of_its_process);
}
Number cpu_time(const TopTask& t) {
  if (is_thread(t)) return figure::thread_cpu_time(t.frame->window, t.thread);
  return t.frame->options.family_time
             ? figure::process_cpu_time_of_family(t.frame->window, t.process)
             : figure::process_cpu_time(t.frame->window, t.process);
}
/// The NUMA node of the CPU it ran on last.
Number node(const TopTask& t) {
  Number cpu = own<process["last_cpu"], thread["last_cpu"]>(t);
  const TableWindow& clocks = t.frame->window.table(TableId::cpu_clock);
  if (!cpu) return cpu;
  std::string name = fmt::format("cpu{}", *cpu);
  for (size_t row = 0; row < clocks.size(); ++row) {
    if (clocks.text(row, schema::cpu_clock["cpu"]) == name) {
      return clocks.gauge(row, schema::cpu_clock["node"]);
    }
  }
  return clocks.size() == 0 ? clocks.absent() : Absent::not_supported;
}

// Texts -------------------------------------------------------------------------------------------

template <Column column>
std::string text_of_process(const TopTask& t) {
  return t.process == TopTask::kNone ? "" : std::string(processes(t).text(t.process, column));
}
std::string state(const TopTask& t) {
  std::string_view word = is_thread(t) ? threads(t).text(t.thread, thread["state"])
                                       : processes(t).text(t.process, process["state"]);
  return std::string(word.substr(0, 1));
}

using Names = std::unordered_map<uint64_t, std::string_view>;
void gather(const TopTask& t, Names& names, Column number, Column name) {
  const TableWindow& all = processes(t);
  if (!names.empty()) return;
  for (size_t row = 0; row < all.size(); ++row) {
    if (Value id = all.rows()->at(row, number)) names.emplace(id.bits, all.text(row, name));
  }
}
/// The name that a process with this number has; the number where none does.
std::string name_of(const Names& names, uint64_t id) {
  auto found = names.find(id);
  return found == names.end() ? std::to_string(id) : std::string(found->second);
}
template <Column uid>
std::string other_user(const TopTask& t) {
  Number id = of_process<uid>(t);
  if (!id) return "";
  gather(t, t.frame->users, process["uid"], process["user"]);
  return name_of(t.frame->users, static_cast<uint64_t>(*id));
}
/// "4 24 27" with commas; `-` where there are none is the original's too.
std::string group_numbers(const TopTask& t) {
  std::string list = text_of_process<process["groups"]>(t);
  std::ranges::replace(list, ' ', ',');
  return list;
}
std::string group_names(const TopTask& t) {
  gather(t, t.frame->groups, process["gid"], process["group"]);
  std::string numbers = text_of_process<process["groups"]>(t);
  std::string_view rest = numbers;
  std::string out;
  for (std::string_view each; !(each = next_field(rest)).empty();) {
    if (!out.empty()) out += ',';
    out += name_of(t.frame->groups, parse_u64(each).value_or(0));
  }
  return out;
}

/// Documentation/admin-guide/devices.txt: the terminals that people have.
std::string terminal(const TopTask& t) {
  Number device = of_process<process["terminal"]>(t);
  if (!device) return "";
  auto number = static_cast<uint32_t>(static_cast<int64_t>(*device));
  uint32_t major = number >> 8 & 0xfff;
  uint32_t minor = (number & 0xff) | (number >> 12 & 0xfff00);
  if (number == 0) return "?";
  if (major >= 136 && major <= 143) return fmt::format("pts/{}", (major - 136) * 256 + minor);
  if (major == 4)
    return minor < 64 ? fmt::format("tty{}", minor) : fmt::format("ttyS{}", minor - 64);
  if (major == 5 && minor == 1) return "console";
  if (major == 204 && minor >= 64) return fmt::format("ttyAMA{}", minor - 64);
  if (major == 229) return fmt::format("hvc{}", minor);
  return fmt::format("{}:{}", major, minor);
}

/// What has no command line is the kernel's, or has ended: its name in brackets.
std::string command_line(const TopTask& t) {
  if (t.process == TopTask::kNone) return "";
  std::string_view line = processes(t).text(t.process, process["command_line"]);
  if (!line.empty()) return std::string(line);
  if (!processes(t).rows()->at(t.process, process["command_line"])) return "";
  std::string_view name = is_thread(t) ? threads(t).text(t.thread, thread["command"])
                                       : processes(t).text(t.process, process["command"]);
  return fmt::format("[{}]{}", name, state(t) == "Z" ? " <defunct>" : "");
}
std::string command(const TopTask& t) {
  if (t.frame->options.command_line) return command_line(t);
  return std::string(is_thread(t) ? threads(t).text(t.thread, thread["command"])
                                  : processes(t).text(t.process, process["command"]));
}

// Declarations ------------------------------------------------------------------------------------

constexpr TopField with(TopField field, std::initializer_list<Column> needs) {
  for (Column column : needs)
    field.needs[field.needed++] = column;
  return field;
}
constexpr TopField figure(const char* name, int width, Form form, Number (*of)(const TopTask&),
                          std::initializer_list<Column> needs) {
  return with({name, width, Align::right, form, of}, needs);
}
constexpr TopField words(const char* name, int width, std::string (*of)(const TopTask&),
                         std::initializer_list<Column> needs) {
  return with({name, width, Align::left, Form::text, nullptr, of}, needs);
}
template <Column column>
constexpr TopField plain(const char* name, int width, Form form) {
  return figure(name, width, form, of_process<column>, {column});
}
template <Column of_its_process, Column of_thread>
constexpr TopField of_task(const char* name, int width, Form form) {
  return figure(name, width, form, own<of_its_process, of_thread>, {of_its_process});
}
/// What would take another file of each process (smaps, ns/, environ …): not read.
constexpr TopField unread(const char* name, int width, Align align = Align::right) {
  return {name, width, align, align == Align::left ? Form::text : Form::whole};
}

constexpr int kVariable = TopField::kVariable;
constexpr int kOfPids = TopField::kOfPids;
constexpr Column kUser = process["user_time"];
constexpr Column kSystem = process["system_time"];
constexpr Column kChildUser = process["children_user_time"];
constexpr Column kChildSystem = process["children_system_time"];

constexpr std::array kFields{
    of_task<process["pid"], thread["tid"]>("PID", kOfPids, Form::whole),
    plain<process["parent"]>("PPID", kOfPids, Form::whole),
    plain<process["uid"]>("UID", 5, Form::whole),
    words("USER", 8, text_of_process<process["user"]>, {process["user"]}),
    plain<process["real_uid"]>("RUID", 5, Form::whole),
    words("RUSER", 8, other_user<process["real_uid"]>,
          {process["real_uid"], process["uid"], process["user"]}),
    plain<process["saved_uid"]>("SUID", 5, Form::whole),
    words("SUSER", 8, other_user<process["saved_uid"]>,
          {process["saved_uid"], process["uid"], process["user"]}),
    plain<process["gid"]>("GID", 5, Form::whole),
    words("GROUP", 8, text_of_process<process["group"]>, {process["gid"], process["group"]}),
    plain<process["process_group"]>("PGRP", kOfPids, Form::whole),
    words("TTY", 8, terminal, {process["terminal"]}),
    plain<process["terminal_group"]>("TPGID", kOfPids, Form::whole),
    plain<process["session"]>("SID", kOfPids, Form::whole),
    of_task<process["priority"], thread["priority"]>("PR", 3, Form::whole),
    of_task<process["nice"], thread["nice"]>("NI", 3, Form::whole),
    plain<process["threads"]>("nTH", 3, Form::whole),
    of_task<process["last_cpu"], thread["last_cpu"]>("P", TopField::kOfCpus, Form::whole),
    figure("%CPU", 5, Form::percent, cpu, {kUser, kSystem, process["threads"]}),
    figure("TIME", 6, Form::hundredths, cpu_time, {kUser, kSystem, kChildUser, kChildSystem}),
    figure("TIME+", 9, Form::hundredths, cpu_time, {kUser, kSystem, kChildUser, kChildSystem}),
    figure("%MEM", 5, Form::percent, process_figure<figure::process_memory_share>,
           {process["resident"]}),
    plain<process["virtual"]>("VIRT", 7, Form::memory),
    plain<process["swap"]>("SWAP", 6, Form::memory),
    plain<process["resident"]>("RES", 6, Form::memory),
    plain<process["code"]>("CODE", 6, Form::memory),
    plain<process["data"]>("DATA", 7, Form::memory),
    plain<process["shared"]>("SHR", 6, Form::memory),
    of_task<process["major_faults"], thread["major_faults"]>("nMaj", 4, Form::count),
    of_task<process["minor_faults"], thread["minor_faults"]>("nMin", 4, Form::count),
    unread("nDRT", 4),
    words("S", 1, state, {process["state"]}),
    words("COMMAND", kVariable, command,
          {process["command"], process["command_line"], process["state"]}),
    unread("WCHAN", 10, Align::left),
    with({"Flags", 8, Align::left, Form::hexadecimal, of_process<process["flags"]>},
         {process["flags"]}),
    words("CGROUPS", kVariable, text_of_process<process["cgroup"]>, {process["cgroup"]}),
    words("SUPGIDS", kVariable, group_numbers, {process["groups"]}),
    words("SUPGRPS", kVariable, group_names, {process["groups"], process["gid"], process["group"]}),
    plain<process["pid"]>("TGID", kOfPids, Form::whole),
    unread("OOMa", 5),
    unread("OOMs", 4),
    unread("ENVIRON", kVariable, Align::left),
    figure("vMj", 3, Form::count, growth<process["major_faults"], thread["major_faults"]>,
           {process["major_faults"]}),
    figure("vMn", 3, Form::count, growth<process["minor_faults"], thread["minor_faults"]>,
           {process["minor_faults"]}),
    figure("USED", 6, Form::memory, process_figure<figure::process_memory_used>,
           {process["resident"], process["swap"]}),
    unread("nsIPC", 10),
    unread("nsMNT", 10),
    unread("nsNET", 10),
    unread("nsPID", 10),
    unread("nsUSER", 10),
    unread("nsUTS", 10),
    unread("LXC", 8, Align::left),
    plain<process["resident_anonymous"]>("RSan", 6, Form::memory),
    plain<process["resident_file"]>("RSfd", 6, Form::memory),
    plain<process["locked"]>("RSlk", 6, Form::memory),
    plain<process["resident_shared"]>("RSsh", 6, Form::memory),
    words("CGNAME", kVariable, text_of_process<process["cgroup"]>, {process["cgroup"]}),
    figure("NU", 2, Form::whole, node, {process["last_cpu"]}),
    unread("LOGID", 5),
    unread("EXE", kVariable, Align::left),
    unread("RSS", 6),
    unread("PSS", 6),
    unread("PSan", 6),
    unread("PSfd", 6),
    unread("PSsh", 6),
    unread("USS", 6),
    plain<process["read_bytes"]>("ioR", 6, Form::count),
    plain<process["read_calls"]>("ioRop", 5, Form::count),
    plain<process["write_bytes"]>("ioW", 6, Form::count),
    plain<process["write_calls"]>("ioWop", 5, Form::count),
    unread("AGID", 5),
    unread("AGNI", 4),
    of_task<process["start"], thread["start"]>("STARTED", 7, Form::seconds),
    figure("ELAPSED", 7, Form::minutes, process_figure<figure::process_elapsed>,
           {process["start"]}),
    figure("%CUU", 6, Form::precise_percent, process_figure<figure::process_cpu_of_life>,
           {kUser, kSystem, process["start"]}),
    figure("%CUC", 7, Form::precise_percent, process_figure<figure::process_cpu_of_family>,
           {kUser, kSystem, kChildUser, kChildSystem}),
    unread("nsCGROUP", 10),
    unread("nsTIME", 10),
};

/// Hexadecimal, with points for zeros, as the original has it.
std::string flags(uint64_t bits) {
  std::string text = fmt::format("{:08x}", bits);
  std::ranges::replace(text, '0', '.');
  return text;
}

/// The kernel has no such priorities for a scheduler to give; the original names them so.
bool is_real_time(Number priority) {
  return priority && (*priority < -99 || *priority > 999);
}

}  // namespace

std::span<const TopField> fields() {
  return kFields;
}

const TopField& field(std::string_view name) {
  return *std::ranges::find_if(kFields, [&](const TopField& f) { return f.name == name; });
}

Number cpu(const TopTask& t) {
  constexpr double kTicks = 0.02;  // a tick of 10 ms at either end
  bool thread_line = is_thread(t);
  Number raw = thread_line ? figure::thread_cpu(t.frame->window, t.thread)
                           : figure::process_cpu(t.frame->window, t.process);
  Number count = thread_line ? Number(1.0) : of_process<process["threads"]>(t);
  double seconds = (thread_line ? threads(t) : processes(t)).seconds();
  if (!raw || !count || seconds <= 0) return raw;
  double most = 100 * std::max(*count, 1.0);
  bool rounded = *raw > most && *raw - most <= 100 * kTicks / seconds;
  return rounded ? Number(most) : raw;
}

Number number_of(const TopField& field, const TopTask& task) {
  return field.number != nullptr ? field.number(task) : Number(Absent::not_supported);
}

std::string text_of(const TopField& field, const TopTask& task) {
  return field.text != nullptr ? field.text(task) : "";
}

std::string cell(const TopField& field, const TopTask& task, int width) {
  if (field.is_text()) {
    std::string text = text_of(field, task);
    return text.empty() ? kAbsentText : cut(escape_control(text), width);
  }
  Number value = number_of(field, task);
  int unit = task.frame->options.task_unit;
  switch (field.form) {
    case Form::whole:
      return field.name == std::string_view("PR") && is_real_time(value) ? "rt"
                                                                         : whole(value, width);
    case Form::memory:
      return memory(value ? Number(*value / 1024) : value, width, unit);
    case Form::count:
      return count(value, width);
    case Form::percent:
      return percent(value, width);
    case Form::precise_percent:
      return percent(value, width, true);
    case Form::hundredths:
      return time(value, width, TimeForm::hundredths);
    case Form::seconds:
      return time(value, width, TimeForm::seconds);
    case Form::minutes:
      return time(value, width, TimeForm::minutes);
    case Form::hexadecimal:
      return value ? cut(flags(static_cast<uint64_t>(*value)), width) : kAbsentText;
    case Form::text:
      break;
  }
  return kAbsentText;
}

}  // namespace top

std::vector<std::string_view> top_field_names() {
  std::vector<std::string_view> names;
  for (const TopField& field : top::fields())
    names.emplace_back(field.name);
  return names;
}

const TopField* find_top_field(std::string_view name) {
  for (const TopField& field : top::fields()) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace tacho
