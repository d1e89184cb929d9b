#include "host/system_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"

namespace tacho {
namespace {

constexpr uint64_t kMostCpus = 65536;

SystemFacts ask() {
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
  return facts;
}

}  // namespace

Result<SystemFacts> system_facts(const Machine& machine) {
  if (machine.is_live()) return ask();
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
