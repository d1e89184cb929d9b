#include "collect/pid_list.h"
#include "collect/process_reader.h"
#include "collect/thread_scan.h"
#include "schema/process.h"

namespace tacho {
namespace {

/// Runs after the process table of the same sample, whose rows it cannot see yet: it takes the tree
/// of the sample before, so a process that has just begun has its threads one sample later.
class WatchedThreadReader : public Reader {
 public:
  TableId table() const override { return TableId::thread; }
  Result<void> read(Collecting& collecting, Rows& rows) override {
    const Rows* processes =
        collecting.previous ? collecting.previous->rows(TableId::process) : nullptr;
    if (processes == nullptr) return {};
    for (size_t row = 0; row < processes->size(); ++row) {
      Value watched = processes->at(row, schema::process["watched"]);
      if (!watched || watched.bits != 1) continue;
      threads_.read(collecting, processes->at(row, schema::process["pid"]).bits, rows);
    }
    return {};
  }

 private:
  ThreadScan threads_;
};

class AllThreadReader : public Reader {
 public:
  TableId table() const override { return TableId::thread; }
  Result<void> read(Collecting& collecting, Rows& rows) override {
    auto listed = pids_.update(collecting.machine, collecting.buffer);
    if (!listed) return listed;
    for (uint64_t pid : pids_.pids())
      threads_.read(collecting, pid, rows);
    return {};
  }

 private:
  ThreadScan threads_;
  PidList pids_;
};

}  // namespace

std::unique_ptr<Reader> make_thread_reader(bool all) {
  if (all) return std::make_unique<AllThreadReader>();
  return std::make_unique<WatchedThreadReader>();
}

}  // namespace tacho
