#include "collect/cgroup_files.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "host/system_facts.h"
#include "schema/cgroup.h"

namespace tacho {
namespace {

/// "sys/fs/cgroup/memory/{cgroup}/memory.stat" → "memory"; without a controller, v2's "".
std::string controller_of(std::string_view path) {
  constexpr std::string_view kUsual = "sys/fs/cgroup/";
  std::string_view rest = path.substr(kUsual.size());
  size_t slash = rest.find('/');
  std::string_view first = rest.substr(0, slash);
  return first == "{cgroup}" ? "" : std::string(first);
}

constexpr std::array kSettings{&schema::kCpuMax2,      &schema::kCpuQuota1,  &schema::kCpuPeriod1,
                               &schema::kCpuset2,      &schema::kCpuset1,    &schema::kMemoryMax2,
                               &schema::kMemoryLimit1, &schema::kMemoryHigh2};

/// The sum over devices of what follows `key`: "rbytes=1" or "Read 1" in each line.
std::optional<uint64_t> sum_over_devices(std::string_view text, std::string_view key) {
  std::optional<uint64_t> sum;
  std::string_view line;
  while (next_line(text, line)) {
    std::string_view field = next_field(line);
    if (field.find(':') == std::string_view::npos) continue;  // "Total 0"
    while (!(field = next_field(line)).empty()) {
      std::string_view value;
      if (field == key) {
        value = next_field(line);
      } else if (field.starts_with(key) && field.substr(key.size()).starts_with('=')) {
        value = field.substr(key.size() + 1);
      } else {
        continue;
      }
      if (auto number = parse_u64(value)) sum = sum.value_or(0) + *number;
    }
  }
  return sum;
}

}  // namespace

CgroupSource::CgroupSource(const Source& from)
    : source(&from),
      controller(controller_of(from.path)),
      file(from.path.substr(from.path.rfind('/') + 1)),
      setting(std::ranges::find(kSettings, &from) != kSettings.end()),
      memory(!setting && file.starts_with("memory.") && !file.ends_with(".pressure")),
      parser(table_view(TableId::cgroup), from) {}

void CgroupSource::parse(std::string_view text, Rows& rows, size_t row, Ranks& ranks) {
  if (source->shape != Shape::call) {
    parser.parse(text, rows, row, ranks);
    return;
  }
  for (const Binding& binding : parser.bindings()) {
    std::optional<uint64_t> value;
    if (binding.place.key.empty()) {
      if (auto cpus = parse_cpu_list(text); !cpus.empty()) value = cpus.size();
    } else {
      // A group without I/O has no lines: that is none, not unknown.
      value = sum_over_devices(text, binding.place.key);
      if (!value && text.find(':') == std::string_view::npos) value = 0;
    }
    if (value && ranks.take(binding.target)) rows.set(row, binding.target.column, *value);
  }
}

bool CgroupSource::wanted(const Ranks& ranks) const {
  return std::ranges::any_of(parser.bindings(), [&](const Binding& binding) {
    return !ranks.filled(binding.target.column);
  });
}

std::vector<CgroupSource> cgroup_sources() {
  std::vector<CgroupSource> sources;
  for (const Source* source : sources_of(table_view(TableId::cgroup))) {
    if (source->path.find("{cgroup}") != std::string_view::npos) sources.emplace_back(*source);
  }
  return sources;
}

CgroupFiles::~CgroupFiles() {
  for (Slot& slot : slots_)
    close(slot);
}

void CgroupFiles::close(Slot& slot) {
  if (!slot.fd) return;
  slot.fd.reset();
  budget_.give();
}

void CgroupFiles::retry() {
  for (Slot& slot : slots_)
    slot.failed.reset();
}

Result<std::string_view> CgroupFiles::read(size_t source, const std::string& path,
                                           const Machine& machine, Buffer& buffer) {
  Slot& slot = slots_[source];
  if (slot.failed) return tl::unexpected(Error{*slot.failed, path});
  if (!slot.fd) {
    auto opened = machine.open(path.c_str());
    if (!opened) {
      slot.failed = opened.error().code;
      return tl::unexpected(opened.error());
    }
    if (!budget_.take()) return Machine::read_record(*opened, buffer);
    slot.fd = std::move(*opened);
  }
  auto text = Machine::read_record(slot.fd, buffer);
  if (!text) {
    close(slot);
    slot.failed = text.error().code;
  }
  return text;
}

}  // namespace tacho
