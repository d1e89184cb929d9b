#include "recorder/progress.h"

#include <algorithm>

#include "schema/recorder.h"

namespace tacho {
namespace {

class ProgressReader : public Reader {
 public:
  explicit ProgressReader(const Progress& progress) : progress_(progress) {}
  TableId table() const override { return TableId::progress; }

  Result<void> read(Collecting&, Rows& rows) override {
    for (const Progress::Entry& entry : progress_.entries()) {
      size_t row = rows.append();
      rows.set_text(row, schema::progress["name"], entry.name);
      rows.set(row, schema::progress["steps"], entry.steps);
      if (entry.total) {
        rows.set(row, schema::progress["total"], *entry.total);
      } else {
        rows.set_absent(row, schema::progress["total"], Absent::not_applicable);
      }
    }
    return {};
  }

 private:
  const Progress& progress_;
};

}  // namespace

Result<void> Progress::report(const std::string& name, uint64_t steps,
                              std::optional<uint64_t> total) {
  if (name.empty() || name.size() > kLongestName) {
    return fail(Errc::invalid, "the name of a progress has 1 to {} bytes", kLongestName);
  }
  auto entry = std::ranges::find(entries_, name, &Entry::name);
  if (entry == entries_.end()) {
    if (entries_.size() >= kMostNames) {
      return fail(Errc::invalid, "more than {} programs report their progress", kMostNames);
    }
    entry = entries_.insert(entry, {name, 0, std::nullopt});
  }
  entry->steps = steps;
  entry->total = total;
  return {};
}

void Progress::finish(const std::string& name) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.name == name; });
}

std::unique_ptr<Reader> make_progress_reader(const Progress& progress) {
  return std::make_unique<ProgressReader>(progress);
}

}  // namespace tacho
