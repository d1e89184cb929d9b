#include "recorder/self_reader.h"

#include <dirent.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "schema/recorder.h"

namespace tacho {
namespace {

uint64_t entries_of(const char* folder) {
  uint64_t count = 0;
  DIR* dir = opendir(folder);
  if (dir == nullptr) return 0;
  while (readdir(dir) != nullptr)
    ++count;
  closedir(dir);
  return count > 2 ? count - 2 : 0;
}

/// Listing descriptors costs microseconds each and changes slowly.
constexpr uint64_t kListEvery = 64;

class SelfReader : public Reader {
 public:
  explicit SelfReader(const SelfCounters& counters) : counters_(counters) {}
  TableId table() const override { return TableId::recorder; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    if (collecting.sample % kListEvery == 1) {
      descriptors_ = entries_of("/proc/self/fd");
      threads_ = entries_of("/proc/self/task");
    }
    size_t row = rows.append();
    auto us = [](int64_t ns) { return static_cast<uint64_t>(ns / 1000); };
    rows.set(row, schema::recorder["cpu_time"], us(process_cpu_ns()));
    rows.set(row, schema::recorder["resident"], resident_kib());
    rows.set(row, schema::recorder["descriptors"], descriptors_);
    rows.set(row, schema::recorder["threads"], threads_);
    rows.set(row, schema::recorder["bytes_written"], counters_.bytes_written);
    rows.set(row, schema::recorder["late_samples"], counters_.late_samples);
    rows.set(row, schema::recorder["late"], us(counters_.late_ns));
    rows.set(row, schema::recorder["missed_samples"], counters_.missed_samples);
    rows.set(row, schema::recorder["write_errors"], counters_.write_errors);
    rows.set(row, schema::recorder["interval"], us(counters_.interval_ns));
    if (collecting.sample > 1) {
      rows.set(row, schema::recorder["previous_cost"], us(counters_.previous_cost_ns));
    } else {
      rows.set_absent(row, schema::recorder["previous_cost"], Absent::no_second_sample);
    }
    return {};
  }

 private:
  const SelfCounters& counters_;
  uint64_t descriptors_ = 0;
  uint64_t threads_ = 0;
};

}  // namespace

uint64_t resident_kib() {
  auto text = read_file("/proc/self/statm");
  if (!text) return 0;
  std::string_view rest = *text;
  next_field(rest);
  auto pages = parse_u64(next_field(rest));
  return pages.value_or(0) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

std::unique_ptr<Reader> make_self_reader(const SelfCounters& counters) {
  return std::make_unique<SelfReader>(counters);
}

}  // namespace tacho
