#include "collect/process_sources.h"

#include <algorithm>

#include "collect/shape.h"
#include "schema/process.h"

namespace tacho {

ProcessSources::ProcessSources(const Selection& selection)
    : everything(!selection.narrowed(TableId::process)) {
  auto any = [&](const Source& source) {
    return std::ranges::any_of(bind(table_view(TableId::process), source), [&](const Binding& b) {
      return selection.wants({TableId::process, b.target.column});
    });
  };
  schedstat = any(schema::kPidSchedstat);
  io = any(schema::kPidIo);
  statm = any(schema::kPidStatm);
  command_line = any(schema::kPidCmdline);
  cgroup = any(schema::kPidCgroup);
  for (const Binding& binding : bind(table_view(TableId::process), schema::kPidStatus)) {
    Column column{TableId::process, binding.target.column};
    if (!selection.wants(column)) continue;
    bool of_owner = column == schema::process["uid"] || column == schema::process["user"];
    (of_owner ? owner : status) = true;
  }
}

}  // namespace tacho
