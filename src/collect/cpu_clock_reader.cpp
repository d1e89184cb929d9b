#include "collect/cpu_clock_reader.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "collect/shape.h"
#include "host/system_facts.h"
#include "schema/cpu.h"
#include "schema/host.h"

namespace tacho {
namespace {

class CpuClockReader : public Reader {
 public:
  CpuClockReader() {
    for (const Source* source : sources_of(table_view(TableId::cpu_clock))) {
      if (source->shape != Shape::value) continue;
      for (const Binding& binding : bind(table_view(TableId::cpu_clock), *source)) {
        // The key has a place too, which is no file.
        if (binding.place.key.empty()) files_.push_back({source->path, binding.target.column});
      }
    }
  }
  TableId table() const override { return TableId::cpu_clock; }
  bool slow() const override { return true; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    std::string online(schema::kCpusOnline.path);
    auto text = collecting.machine.read(online.c_str(), collecting.buffer);
    if (!text) return tl::unexpected(text.error());
    std::vector<uint32_t> cpus = parse_cpu_list(*text);
    if (cpus.empty()) return fail(Errc::corrupt, "{}: no list of CPUs", online);
    auto nodes = nodes_of_cpus(collecting);
    for (uint32_t cpu : cpus) {
      size_t row = rows.append();
      std::string name = fmt::format("cpu{}", cpu);
      rows.set_text(row, schema::cpu_clock["cpu"], name);
      for (const File& file : files_)
        read_file(collecting, name, file, rows, row);
      auto node = nodes.find(cpu);
      if (node != nodes.end()) {
        rows.set(row, schema::cpu_clock["node"], node->second);
      } else {
        rows.set_absent(row, schema::cpu_clock["node"], Absent::not_supported);
      }
    }
    return {};
  }

 private:
  struct File {
    std::string_view path;
    uint16_t column;
  };

  static void read_file(Collecting& collecting, const std::string& cpu, const File& file,
                        Rows& rows, size_t row) {
    size_t open = file.path.find('{');
    size_t close = file.path.find('}');
    std::string path =
        fmt::format("{}{}{}", file.path.substr(0, open), cpu, file.path.substr(close + 1));
    auto text = collecting.machine.read(path.c_str(), collecting.buffer);
    if (text) {
      set_field(rows, row, file.column, trim(*text));
    } else {
      rows.set_absent(row, file.column, absent_of(text.error()));
    }
  }

  std::unordered_map<uint32_t, uint64_t> nodes_of_cpus(Collecting& collecting) const {
    std::unordered_map<uint32_t, uint64_t> nodes;
    std::string folder(schema::kCpuNode.path);
    std::vector<std::string> names;
    if (!collecting.machine.list(folder.c_str(), names)) return nodes;
    for (const std::string& name : names) {
      auto number =
          name.starts_with("node") ? parse_u64(std::string_view(name).substr(4)) : std::nullopt;
      if (!number) continue;
      std::string path = fmt::format("{}/{}/cpulist", folder, name);
      auto list = collecting.machine.read(path.c_str(), collecting.buffer);
      if (!list) continue;
      for (uint32_t cpu : parse_cpu_list(*list))
        nodes.emplace(cpu, *number);
    }
    return nodes;
  }

  std::vector<File> files_;
};

}  // namespace

std::unique_ptr<Reader> make_cpu_clock_reader() {
  return std::make_unique<CpuClockReader>();
}

}  // namespace tacho
