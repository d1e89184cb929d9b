#include "collect/host_reader.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "collect/shape.h"
#include "host/system_facts.h"
#include "schema/host.h"

namespace tacho {
namespace {

class HostReader : public Reader {
 public:
  HostReader()
      : boot_id_(table_view(TableId::host), schema::kBootId),
        cpuinfo_(table_view(TableId::host), schema::kCpuinfo),
        meminfo_(table_view(TableId::host), schema::kHostMeminfo),
        pid_max_(table_view(TableId::host), schema::kPidMax) {}
  TableId table() const override { return TableId::host; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    size_t row = rows.append();
    ranks_.reset(rows.width());
    auto facts = system_facts(collecting.machine);
    for (const Source* source : {&schema::kUname, &schema::kSysconf, &schema::kUtmp}) {
      for (const Binding& binding : bind(table_view(TableId::host), *source)) {
        std::string_view value = facts ? find_fact(*facts, binding.place.key) : "";
        if (!value.empty() && ranks_.take(binding.target)) {
          set_field(rows, row, binding.target.column, value);
        }
      }
    }
    count_cpus(collecting.machine, schema::kCpusOnline, collecting.buffer, rows, row);
    count_cpus(collecting.machine, schema::kCpusPresent, collecting.buffer, rows, row);
    read_file(collecting, boot_id_, rows, row);
    read_file(collecting, meminfo_, rows, row);
    read_file(collecting, pid_max_, rows, row);
    read_cpuinfo(collecting, rows, row);
    for (size_t column = 0; column < rows.width(); ++column) {
      if (!ranks_.filled(static_cast<uint16_t>(column))) {
        rows.set_absent(row, column, Absent::not_supported);
      }
    }
    return {};
  }

 private:
  void count_cpus(const Machine& machine, const Source& source, Buffer& buffer, Rows& rows,
                  size_t row) {
    auto text = machine.read(std::string(source.path).c_str(), buffer);
    if (!text) return;
    auto cpus = parse_cpu_list(*text);
    if (cpus.empty()) return;
    for (const Binding& binding : bind(table_view(TableId::host), source)) {
      if (ranks_.take(binding.target)) rows.set(row, binding.target.column, cpus.size());
    }
  }

  void read_file(Collecting& collecting, RowParser& parser, Rows& rows, size_t row) {
    std::string path(parser.source().path);
    auto text = collecting.machine.read(path.c_str(), collecting.buffer);
    if (text) parser.parse(*text, rows, row, ranks_);
  }

  /// The lines of the first CPU, which one small read brings; the kernel asks the others only when
  /// their lines are read.
  void read_cpuinfo(Collecting& collecting, Rows& rows, size_t row) {
    if (epoch_ != collecting.machine.epoch()) cpuinfo_head_.clear();
    epoch_ = collecting.machine.epoch();
    if (cpuinfo_head_.empty()) {
      auto fd = collecting.machine.open(std::string(schema::kCpuinfo.path).c_str());
      if (!fd) return;
      std::array<char, 2048> head;
      ssize_t got = pread(fd->get(), head.data(), head.size(), 0);
      if (got <= 0) return;
      cpuinfo_head_.assign(head.data(), static_cast<size_t>(got));
      cpuinfo_head_.resize(std::min(cpuinfo_head_.size(), cpuinfo_head_.rfind('\n')));
    }
    cpuinfo_.parse(cpuinfo_head_, rows, row, ranks_);
  }

  RowParser boot_id_;
  RowParser cpuinfo_;
  RowParser meminfo_;
  RowParser pid_max_;
  Ranks ranks_;
  std::string cpuinfo_head_;
  uint64_t epoch_ = 0;
};

}  // namespace

std::unique_ptr<Reader> make_host_reader() {
  return std::make_unique<HostReader>();
}

}  // namespace tacho
