#include "collect/thread_scan.h"

#include "base/text.h"
#include "schema/process.h"

namespace tacho {

ThreadScan::ThreadScan()
    : stat_(table_view(TableId::thread), schema::kTidStat),
      schedstat_(table_view(TableId::thread), schema::kTidSchedstat) {}

std::span<const ThreadDelay> ThreadScan::run_delays(Collecting& collecting, uint64_t pid) {
  delays_.clear();
  if (!collecting.machine.list(fmt::format("proc/{}/task", pid).c_str(), names_)) return delays_;
  for (const std::string& tid : names_) {
    auto text = collecting.machine.read(fmt::format("proc/{}/task/{}/schedstat", pid, tid).c_str(),
                                        collecting.buffer);
    if (!text) continue;  // it ended meanwhile
    std::string_view rest = *text;
    next_field(rest);
    auto delay_ns = parse_u64(trim(next_field(rest)));
    auto number = parse_u64(tid);
    if (number && delay_ns) delays_.push_back({*number, *delay_ns});
  }
  return delays_;
}

void ThreadScan::read(Collecting& collecting, uint64_t pid, Rows& rows) {
  if (!collecting.machine.list(fmt::format("proc/{}/task", pid).c_str(), names_)) return;
  for (const std::string& tid : names_) {
    std::string folder = fmt::format("proc/{}/task/{}/", pid, tid);
    auto stat = collecting.machine.read((folder + "stat").c_str(), collecting.buffer);
    if (!stat) continue;
    size_t row = rows.append();
    if (!stat_.parse(*stat, rows, row)) {
      rows.drop_last();
      continue;
    }
    rows.set(row, schema::thread["pid"], pid);
    auto schedstat = collecting.machine.read((folder + "schedstat").c_str(), collecting.buffer);
    ranks_.reset(rows.width());
    if (schedstat) schedstat_.parse(*schedstat, rows, row, ranks_);
    for (const Binding& binding : schedstat_.bindings()) {
      if (!ranks_.filled(binding.target.column)) {
        Absent reason = schedstat ? Absent::not_supported : absent_of(schedstat.error());
        rows.set_absent(row, binding.target.column, reason);
      }
    }
  }
}

}  // namespace tacho
