#include "collect/process_reader.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "collect/mask.h"
#include "collect/pid_list.h"
#include "collect/process_files.h"
#include "collect/process_sources.h"
#include "collect/run_delays.h"
#include "collect/stat_line.h"
#include "collect/thread_scan.h"
#include "host/users.h"
#include "schema/process.h"

namespace tacho {
namespace {

/// Control group and command line of a process hardly ever change; of a process that does not run
/// they are looked at more rarely still, together with its whole status.
constexpr uint64_t kRareRefresh = 64;
constexpr uint64_t kQuietRefresh = 256;

size_t descriptor_budget() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur == RLIM_INFINITY ? 60'000 : static_cast<size_t>(limit.rlim_cur) * 3 / 4;
}

/// What is kept of a process between two samples.
struct Known {
  Known(uint64_t pid, DescriptorBudget& budget) : files(pid, budget) {}
  ProcessFiles files;
  uint64_t start = 0;
  uint64_t sample = 0;         ///< in which it was seen last
  bool ran_since_rare = true;  ///< since its command line was read
  uint64_t threads = 0;
  uint64_t stat_resident = 0;  ///< as stat has it, in KiB
  uint64_t ran_ns = UINT64_MAX;
  uint64_t timeslices = UINT64_MAX;
};

class ProcessReader : public Reader {
 public:
  ProcessReader(std::shared_ptr<WatchList> list, std::shared_ptr<ExitLedger> exits,
                const Selection& selection)
      : wanted_(selection),
        list_(std::move(list)),
        exits_(std::move(exits)),
        tree_(*list_),
        budget_(descriptor_budget()),
        stat_(table_view(TableId::process), schema::kPidStat),
        schedstat_(table_view(TableId::process), schema::kPidSchedstat),
        statm_(table_view(TableId::process), schema::kPidStatm),
        status_(table_view(TableId::process), schema::kPidStatus),
        io_(table_view(TableId::process), schema::kPidIo) {}
  TableId table() const override { return TableId::process; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    auto listed = pids_.update(collecting.machine, collecting.buffer);
    if (!listed) return listed;
    const Rows* before =
        collecting.previous ? collecting.previous->rows(TableId::process) : nullptr;
    if (before != nullptr && before->pool_ptr() != rows.pool_ptr()) before = nullptr;
    size_t next_before = 0;
    for (uint64_t pid : pids_.pids()) {
      // Both lists ascend by pid: the row of the sample before is found by going along.
      size_t was = find_before(before, pid, next_before);
      if (wanted_.everything) {
        read_process(collecting, rows, pid, before, was);
      } else {
        read_wanted(collecting, rows, pid, before, was);
      }
    }
    std::erase_if(known_, [&](const auto& e) { return e.second->sample != collecting.sample; });
    mark_tree(collecting, rows);
    if (exits_) exits_->scanned(rows);
    return {};
  }

 private:
  static size_t find_before(const Rows* before, uint64_t pid, size_t& next) {
    if (before == nullptr) return KeyIndex::npos;
    while (next < before->size() && before->at(next, schema::process["pid"]).bits < pid)
      ++next;
    bool same = next < before->size() && before->at(next, schema::process["pid"]).bits == pid;
    return same ? next : KeyIndex::npos;
  }

  void read_process(Collecting& collecting, Rows& rows, uint64_t pid, const Rows* before,
                    size_t was) {
    auto& known = known_[pid];
    if (!known) known = std::make_unique<Known>(pid, budget_);
    bool have =
        was != KeyIndex::npos && known->start == before->at(was, schema::process["start"]).bits;
    // What is not read below keeps the cell it had.
    size_t row = rows.size();
    if (have) {
      rows.append(before->cells(was), before->reasons(was));
    } else {
      rows.append();
    }
    Ran ran = look_at_schedstat(collecting, *known, rows, row);
    if (ran == Ran::gone) known = std::make_unique<Known>(pid, budget_);  // maybe its pid lives on
    bool quiet = have && ran == Ran::no;
    bool due = (collecting.sample + pid) % kRefresh == 0;
    known->ran_since_rare = known->ran_since_rare || !quiet;
    known->sample = collecting.sample;
    if (quiet && !due && known->threads == 1) return;
    if (!read_stat(collecting, *known, rows, row)) {
      rows.drop_last();
      pids_.expire();
      return;
    }
    quiet = quiet && known->start == before->at(was, schema::process["start"]).bits;
    have = have && known->start == before->at(was, schema::process["start"]).bits;
    if (ran == Ran::gone) look_at_schedstat(collecting, *known, rows, row);
    bool whole = !have || (collecting.sample + pid) % kQuietRefresh == 0;
    if (quiet && !whole && known->threads == 1) return;
    read_row(collecting, ProcessFile::io, io_, *known, rows, row);
    // schedstat has the leading thread alone; stat and io tell what all its threads do.
    if (quiet && !whole && std::ranges::equal(rows.cells(row), before->cells(was))) return;
    // What is shared is part of what is resident.
    bool same_size = !whole && rows.at(row, schema::process["resident"]).bits ==
                                   before->at(was, schema::process["resident"]).bits;
    if (!same_size) {
      read_row(collecting, ProcessFile::statm, statm_, *known, rows, row);
      scale_memory(rows, row);
    }
    read_status(collecting, *known, rows, row);
    read_rare(collecting, *known, rows, row, pid, have ? before : nullptr, was);
  }

  /// For a selection of columns: what others change is not taken over.
  void read_wanted(Collecting& collecting, Rows& rows, uint64_t pid, const Rows* before,
                   size_t was) {
    auto& known = known_[pid];
    if (!known) known = std::make_unique<Known>(pid, budget_);
    uint64_t resident_before = known->stat_resident;
    size_t row = rows.append();
    if (!read_stat(collecting, *known, rows, row)) {
      // Its pid may live on as another's.
      known = std::make_unique<Known>(pid, budget_);
      if (!read_stat(collecting, *known, rows, row)) {
        rows.drop_last();
        pids_.expire();
        return;
      }
    }
    known->sample = collecting.sample;
    known->ran_since_rare = true;  // not known here
    bool same = was != KeyIndex::npos && rows.at(row, schema::process["start"]).bits ==
                                             before->at(was, schema::process["start"]).bits;
    bool quiet = same && (collecting.sample + pid) % kRefresh != 0 &&
                 known->stat_resident == resident_before && is_quiet(rows, row, *before, was);
    if (wanted_.schedstat) look_at_schedstat(collecting, *known, rows, row);
    if (wanted_.io) read_row(collecting, ProcessFile::io, io_, *known, rows, row);
    if (wanted_.statm && quiet) {
      take_over(statm_, rows, row, *before, was);
    } else if (wanted_.statm) {
      read_row(collecting, ProcessFile::statm, statm_, *known, rows, row);
      scale_memory(rows, row);
    }
    if (wanted_.status) {
      read_status(collecting, *known, rows, row);
    } else if (wanted_.owner && quiet) {
      for (Column column : {schema::process["uid"], schema::process["user"]})
        take_over(column, rows, row, *before, was);
    } else if (wanted_.owner && !read_owner(collecting, rows, row, pid)) {
      read_status(collecting, *known, rows, row);
    }
    if (wanted_.command_line || wanted_.cgroup) {
      read_rare(collecting, *known, rows, row, pid, same ? before : nullptr, was);
    }
  }

  /// Whether stat says that it did nothing since the sample before: then neither has its memory
  /// changed hands (that takes a page fault, or shows in the size) nor itself its owner.
  static bool is_quiet(const Rows& rows, size_t row, const Rows& before, size_t was) {
    constexpr std::array kSigns{schema::process["user_time"],    schema::process["system_time"],
                                schema::process["minor_faults"], schema::process["major_faults"],
                                schema::process["virtual"],      schema::process["threads"],
                                schema::process["command"]};
    return std::ranges::all_of(
        kSigns, [&](Column sign) { return rows.at(row, sign).bits == before.at(was, sign).bits; });
  }

  /// The owner of the folder proc/PID is the effective user (fs/proc/base.c, task_dump_owner),
  /// which costs a tenth of reading status. False where the folder is not the kernel's.
  bool read_owner(Collecting& collecting, Rows& rows, size_t row, uint64_t pid) {
    if (!collecting.machine.is_live()) return false;
    std::array<char, 32> path;
    *fmt::format_to_n(path.data(), path.size() - 1, "proc/{}", pid).out = '\0';
    struct stat folder {};
    if (fstatat(collecting.machine.root_fd(), path.data(), &folder, 0) != 0) return false;
    rows.set(row, schema::process["uid"], folder.st_uid);
    rows.set_text(row, schema::process["user"], users_.name(folder.st_uid, collecting.machine));
    return true;
  }

  enum class Ran { yes, no, unknown, gone };

  Ran look_at_schedstat(Collecting& collecting, Known& known, Rows& rows, size_t row) {
    auto text = known.files.read(ProcessFile::schedstat, collecting.machine, collecting.buffer);
    if (!text) {
      set_all_absent(schedstat_, rows, row, absent_of(text.error()));
      bool gone = text.error().code == Errc::gone && known.start != 0;
      return gone ? Ran::gone : Ran::unknown;
    }
    std::string_view rest = *text;
    uint64_t on_cpu = parse_u64(trim(next_field(rest))).value_or(0);
    next_field(rest);
    uint64_t timeslices = parse_u64(trim(next_field(rest))).value_or(0);
    bool same = on_cpu == known.ran_ns && timeslices == known.timeslices;
    known.ran_ns = on_cpu;
    known.timeslices = timeslices;
    if (same && known.threads == 1) return Ran::no;
    ranks_.reset(rows.width());
    schedstat_.parse(*text, rows, row, ranks_);
    return same ? Ran::no : Ran::yes;
  }

  static void take_over(Column column, Rows& rows, size_t row, const Rows& before, size_t was) {
    Value v = before.at(was, column);
    if (v) {
      rows.set(row, column, v.bits);
    } else {
      rows.set_absent(row, column, v.absent);
    }
  }
  static void take_over(const RowParser& parser, Rows& rows, size_t row, const Rows& before,
                        size_t was) {
    for (const Binding& binding : parser.bindings())
      take_over({TableId::process, binding.target.column}, rows, row, before, was);
  }

  bool read_stat(Collecting& collecting, Known& known, Rows& rows, size_t row) {
    auto text = known.files.read(ProcessFile::stat, collecting.machine, collecting.buffer);
    if (!text || !stat_.parse(*text, rows, row)) return false;
    scale_pages(rows, row, schema::process["resident"]);
    known.stat_resident = rows.at(row, schema::process["resident"]).bits;
    known.start = rows.at(row, schema::process["start"]).bits;
    known.threads = rows.at(row, schema::process["threads"]).bits;
    return true;
  }

  void read_row(Collecting& collecting, ProcessFile file, RowParser& parser, Known& known,
                Rows& rows, size_t row) {
    auto text = known.files.read(file, collecting.machine, collecting.buffer);
    if (!text) {
      set_all_absent(parser, rows, row, absent_of(text.error()));
      return;
    }
    ranks_.reset(rows.width());
    parser.parse(*text, rows, row, ranks_);
    for (const Binding& binding : parser.bindings()) {
      uint16_t column = binding.target.column;
      if (!ranks_.filled(column)) rows.set_absent(row, column, Absent::not_supported);
    }
  }

  /// status holds more than numbers: users, groups, and the list of CPUs.
  void read_status(Collecting& collecting, Known& known, Rows& rows, size_t row) {
    read_row(collecting, ProcessFile::status, status_, known, rows, row);
    std::string_view list = rows.text(row, schema::process["allowed_cpu_list"]);
    if (auto cpus = count_cpus(list)) {
      rows.set(row, schema::process["allowed_cpus"], *cpus);
    } else {
      rows.set_absent(row, schema::process["allowed_cpus"], Absent::not_supported);
    }
    Value uid = rows.at(row, schema::process["uid"]);
    if (uid) {
      rows.set_text(row, schema::process["user"], users_.name(uid.bits, collecting.machine));
    } else {
      rows.set_absent(row, schema::process["user"], uid.absent);
    }
    Value gid = rows.at(row, schema::process["gid"]);
    if (gid) {
      rows.set_text(row, schema::process["group"], groups_.name(gid.bits, collecting.machine));
    } else {
      rows.set_absent(row, schema::process["group"], gid.absent);
    }
  }

  void read_rare(Collecting& collecting, Known& known, Rows& rows, size_t row, uint64_t pid,
                 const Rows* before, size_t was) {
    bool renamed = before != nullptr && before->at(was, schema::process["command"]).bits !=
                                            rows.at(row, schema::process["command"]).bits;
    uint64_t refresh = wanted_.everything ? kRareRefresh : kRefresh;
    bool due = before == nullptr || renamed || (collecting.sample + pid) % refresh == 0;
    for (Column column : {schema::process["command_line"], schema::process["cgroup"]}) {
      if (before != nullptr) take_over(column, rows, row, *before, was);
    }
    if (!due) return;
    // Others can move it to another control group; its command line it changes by itself.
    bool ran = before == nullptr || known.ran_since_rare;
    if (wanted_.command_line && ran) read_command_line(collecting, rows, row, pid);
    known.ran_since_rare = false;
    if (!wanted_.cgroup) return;
    auto group =
        collecting.machine.read(fmt::format("proc/{}/cgroup", pid).c_str(), collecting.buffer);
    if (group) {
      rows.set_text(row, schema::process["cgroup"], cgroup_path(*group));
    } else {
      rows.set_absent(row, schema::process["cgroup"], absent_of(group.error()));
    }
  }

  static void read_command_line(Collecting& collecting, Rows& rows, size_t row, uint64_t pid) {
    auto line =
        collecting.machine.read(fmt::format("proc/{}/cmdline", pid).c_str(), collecting.buffer);
    if (line) {
      rows.set_text(row, schema::process["command_line"], masked_command_line(*line));
    } else {
      rows.set_absent(row, schema::process["command_line"], absent_of(line.error()));
    }
  }

  static void set_all_absent(const RowParser& parser, Rows& rows, size_t row, Absent reason) {
    for (const Binding& binding : parser.bindings()) {
      rows.set_absent(row, binding.target.column, reason);
    }
  }

  /// What statm has.
  static void scale_memory(Rows& rows, size_t row) {
    for (Column column : {schema::process["resident"], schema::process["shared"],
                          schema::process["code"], schema::process["data"]}) {
      scale_pages(rows, row, column);
    }
  }

  /// stat and statm count pages; the schema has KiB.
  static void scale_pages(Rows& rows, size_t row, Column column) {
    static const auto kKib = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
    Value pages = rows.at(row, column);
    if (!pages) return;
    if (pages.bits > uint64_t{1} << 52) {  // more than any machine has: the field is damaged
      rows.set_absent(row, column, Absent::unreadable);
    } else {
      rows.set(row, column, pages.bits * kKib);
    }
  }

  void mark_tree(Collecting& collecting, Rows& rows) {
    if (!wanted_.everything && list_->empty()) return;
    scan_.clear();
    if (!list_->empty()) {
      for (size_t row = 0; row < rows.size(); ++row) {
        scan_.push_back({{rows.at(row, schema::process["pid"]).bits,
                          rows.at(row, schema::process["start"]).bits},
                         rows.at(row, schema::process["parent"]).bits,
                         rows.text(row, schema::process["cgroup"])});
      }
    }
    tree_.update(scan_);
    list_->set_members(tree_.watched_pids());
    for (size_t row = 0; row < rows.size(); ++row) {
      if (!tree_.active()) {
        rows.set_absent(row, schema::process["watched"], Absent::not_applicable);
        continue;
      }
      uint64_t pid = rows.at(row, schema::process["pid"]).bits;
      bool watched = tree_.watched(pid);
      rows.set(row, schema::process["watched"], watched ? 1 : 0);
      if (watched) sum_run_delay(collecting, rows, row);
    }
    delays_.forget_the_rest();
  }

  /// schedstat of a process is its leader's alone: of the tree the threads are summed, also those
  /// that have ended.
  void sum_run_delay(Collecting& collecting, Rows& rows, size_t row) {
    ProcessId id{rows.at(row, schema::process["pid"]).bits,
                 rows.at(row, schema::process["start"]).bits};
    bool known = delays_.knows(id);
    if (!known && rows.at(row, schema::process["threads"]).bits == 1) return;
    auto live = threads_.run_delays(collecting, id.pid);
    if (!known && live.empty()) return;
    if (live.empty()) {  // a lesser sum than before would be wrong
      rows.set_absent(row, schema::process["run_delay"], Absent::gone);
      return;
    }
    Value leaders = rows.at(row, schema::process["run_delay"]);
    if (!known && leaders && had_leaders_alone(collecting.previous, id))
      delays_.continue_from(id, live, leaders.bits);
    rows.set(row, schema::process["run_delay"], delays_.update(id, live));
  }

  /// Whether the sample before had of a process's threads the leader's delay alone, for it was not
  /// watched then.
  static bool had_leaders_alone(const Sample* before, const ProcessId& id) {
    const Rows* rows = before != nullptr ? before->rows(TableId::process) : nullptr;
    for (size_t row = 0; rows != nullptr && row < rows->size(); ++row) {
      if (rows->at(row, schema::process["pid"]).bits != id.pid) continue;
      Value watched = rows->at(row, schema::process["watched"]);
      return rows->at(row, schema::process["start"]).bits == id.start &&
             rows->at(row, schema::process["threads"]).bits > 1 && !(watched && watched.bits == 1);
    }
    return false;
  }

  ProcessSources wanted_;
  std::shared_ptr<WatchList> list_;
  std::shared_ptr<ExitLedger> exits_;
  Tree tree_;
  DescriptorBudget budget_;
  StatLine stat_;
  RowParser schedstat_;
  RowParser statm_;
  RowParser status_;
  RowParser io_;
  Ranks ranks_;
  Users users_;
  Groups groups_;
  ThreadScan threads_;
  RunDelays delays_;
  PidList pids_;
  std::vector<Tree::Member> scan_;
  std::unordered_map<uint64_t, std::unique_ptr<Known>> known_;
};

}  // namespace

std::unique_ptr<Reader> make_process_reader(std::shared_ptr<WatchList> list,
                                            std::shared_ptr<ExitLedger> exits,
                                            const Selection& selection) {
  return std::make_unique<ProcessReader>(std::move(list), std::move(exits), selection);
}

}  // namespace tacho
