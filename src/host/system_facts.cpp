#include "host/system_facts.h"

#include <sys/utsname.h>
#include <unistd.h>
#include <utmpx.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace tacho {
namespace {

constexpr uint64_t kMostCpus = 65536;

SystemFacts ask(const Machine& machine) {
  SystemFacts facts;
  utsname names{};
  if (uname(&names) == 0) {
    facts.emplace_back("nodename", names.nodename);
    facts.emplace_back("release", names.release);
    facts.emplace_back("machine", names.machine);
  }
  auto add = [&](const char* name, int which) {
    long value = sysconf(which);
    if (value > 0) facts.emplace_back(name, std::to_string(value));
  };
  add("pagesize", _SC_PAGESIZE);
  add("nprocessors_conf", _SC_NPROCESSORS_CONF);
  add("nprocessors_onln", _SC_NPROCESSORS_ONLN);
  Buffer buffer;
  if (auto utmp = machine.read("run/utmp", buffer)) {
    facts.emplace_back("users", std::to_string(count_user_sessions(*utmp)));
  }
  return facts;
}

}  // namespace

Result<SystemFacts> system_facts(const Machine& machine) {
  if (machine.is_live()) return ask(machine);
  Buffer buffer;
  auto text = machine.read("tacho/system", buffer);
  if (!text) return tl::unexpected(text.error());
  SystemFacts facts;
  std::string_view rest = *text;
  std::string_view line;
  while (next_line(rest, line)) {
    std::string_view fact = next_field(line);
    if (!fact.empty()) facts.emplace_back(fact, trim(line));
  }
  return facts;
}

std::string system_facts_text(const SystemFacts& facts) {
  std::string text;
  for (const auto& [name, value] : facts)
    text += fmt::format("{} {}\n", name, value);
  return text;
}

std::string_view find_fact(const SystemFacts& facts, std::string_view name) {
  for (const auto& [fact, value] : facts) {
    if (fact == name) return value;
  }
  return {};
}

size_t count_user_sessions(std::string_view utmp) {
  size_t sessions = 0;
  for (; utmp.size() >= sizeof(utmpx); utmp.remove_prefix(sizeof(utmpx))) {
    utmpx record{};
    std::memcpy(&record, utmp.data(), sizeof record);
    if (record.ut_type == USER_PROCESS && record.ut_user[0] != '\0') ++sessions;
  }
  return sessions;
}

std::vector<uint32_t> parse_cpu_list(std::string_view text) {
  std::vector<uint32_t> cpus;
  text = trim(text);
  if (text.empty()) return cpus;
  for (std::string_view range : split(text, ',')) {
    size_t hyphen = range.find('-');
    auto first = parse_u64(range.substr(0, hyphen));
    auto last = hyphen == std::string_view::npos ? first : parse_u64(range.substr(hyphen + 1));
    if (!first || !last || *last < *first || *last >= kMostCpus) return {};
    for (uint64_t cpu = *first; cpu <= *last; ++cpu) {
      if (cpus.size() >= kMostCpus) return {};
      cpus.push_back(static_cast<uint32_t>(cpu));
    }
  }
  return cpus;
}

}  // namespace tacho
