#include "cli/survey.h"

#include <algorithm>
#include <array>
#include <map>

namespace tacho::cli {
namespace {

/// Filled by the recorder, or for a watched program only.
constexpr std::array kOthersTables{TableId::thread, TableId::progress, TableId::recorder,
                                   TableId::source_cost};

bool is_fault(Absent reason) {
  return reason == Absent::no_permission || reason == Absent::not_supported ||
         reason == Absent::unreadable || reason == Absent::timed_out;
}

std::vector<Missing> missing_of(const Rows& rows) {
  // A metric counts under the reason that most of its absent cells have.
  std::map<Absent, Missing> by_reason;
  const Layout& layout = rows.layout();
  for (size_t column = 0; column < layout.columns.size(); ++column) {
    std::map<Absent, size_t> reasons;
    size_t present = 0;
    for (size_t row = 0; row < rows.size(); ++row) {
      Value value = rows.at(row, column);
      if (value) ++present;
      if (is_fault(value.absent)) ++reasons[value.absent];
    }
    for (auto [reason, instances] : reasons) {
      // What some instances have and others cannot have (discards of a disk) is as it should be.
      if (reason == Absent::not_supported && present > 0) continue;
      Missing& missing = by_reason[reason];
      missing.reason = reason;
      missing.metrics.push_back(layout.columns[column].name);
      missing.instances = std::max(missing.instances, instances);
    }
  }
  std::vector<Missing> all;
  for (auto& [reason, missing] : by_reason)
    all.push_back(std::move(missing));
  return all;
}

struct Remedy {
  TableId table;
  Absent reason;
  std::string_view text;
};

constexpr std::array kRemedies{
    Remedy{TableId::pressure, Absent::not_supported,
           "boot the kernel with psi=1 (CONFIG_PSI, Linux 4.20 and later)"},
    Remedy{TableId::pressure, Absent::no_permission, "run it as root"},
    Remedy{TableId::process, Absent::no_permission,
           "run it as root, or give it CAP_SYS_PTRACE; a /proc mounted with hidepid hides others"},
    Remedy{TableId::process_exit, Absent::no_permission,
           "run it as root, or give it CAP_NET_ADMIN"},
    Remedy{TableId::process_exit, Absent::not_supported,
           "needs CONFIG_TASKSTATS, Linux 5.19 or later, and the host's namespaces (no container)"},
    Remedy{TableId::socket, Absent::no_permission,
           "run it as root, or give it CAP_SYS_PTRACE, to see who holds a socket"},
    Remedy{TableId::event, Absent::no_permission,
           "run it as root, or: sysctl kernel.dmesg_restrict=0 and read access to /dev/kmsg"},
    Remedy{TableId::event, Absent::not_supported, "give the container the device /dev/kmsg"},
    Remedy{TableId::cgroup, Absent::not_supported, "mount cgroup2 at /sys/fs/cgroup"},
    Remedy{TableId::cpu_clock, Absent::not_supported,
           "needs a cpufreq driver; virtual machines mostly have none"},
    Remedy{TableId::mount_nfs, Absent::no_permission, "run it as root"},
};

}  // namespace

std::vector<TableSurvey> survey(const Sample& sample) {
  std::vector<TableSurvey> all;
  for (size_t i = 0; i < kTableCount; ++i) {
    auto id = static_cast<TableId>(i);
    if (std::find(kOthersTables.begin(), kOthersTables.end(), id) != kOthersTables.end()) continue;
    TableSurvey table;
    table.table = id;
    const Rows* rows = sample.rows(id);
    if (rows == nullptr || rows->absent != Absent::no) {
      table.reason = rows != nullptr ? rows->absent : Absent::not_read;
    } else {
      table.instances = rows->size();
      table.missing = missing_of(*rows);
      table.seen = TableSurvey::Seen::all;
      for (const Missing& missing : table.missing) {
        bool all = missing.metrics.size() + rows->layout().keys.size() == rows->width();
        if (all && missing.instances == rows->size()) {
          table.seen = TableSurvey::Seen::nothing;
          table.reason = missing.reason;
        } else if (missing.reason != Absent::not_supported &&
                   table.seen == TableSurvey::Seen::all) {
          table.seen = TableSurvey::Seen::partly;
        }
      }
    }
    all.push_back(std::move(table));
  }
  return all;
}

std::string_view remedy(TableId table, Absent reason) {
  for (const Remedy& known : kRemedies) {
    if (known.table == table && known.reason == reason) return known.text;
  }
  return {};
}

}  // namespace tacho::cli
