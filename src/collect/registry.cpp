#include "collect/registry.h"

#include "collect/cgroup_reader.h"
#include "collect/counter_reader.h"
#include "collect/cpu_clock_reader.h"
#include "collect/event_log.h"
#include "collect/exit_reader.h"
#include "collect/file_reader.h"
#include "collect/filesystem_reader.h"
#include "collect/host_reader.h"
#include "collect/link_facts.h"
#include "collect/nfs_reader.h"
#include "collect/process_reader.h"
#include "collect/route_reader.h"
#include "collect/socket_reader.h"
#include "collect/socket_scan.h"
#include "collect/unix_reader.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/net.h"

namespace tacho {

Readers make_readers(const Selection& selection, bool all_threads,
                     const std::shared_ptr<WatchList>& watch_list,
                     const std::shared_ptr<EventLog>& event_log, const SocketOptions& sockets) {
  FileSet files;
  Readers readers;
  auto add = [&](std::unique_ptr<Reader> reader) {
    if (selection.has(reader->table())) readers.push_back(std::move(reader));
  };
  add(make_host_reader());
  add(make_line_reader(TableId::cpu, schema::kStatCpu, files, nullptr));
  add(make_cpu_clock_reader());
  add(make_row_reader(TableId::system, files));
  add(make_row_reader(TableId::memory, files));
  add(make_row_reader(TableId::vm, files));
  add(make_row_reader(TableId::pressure, files));
  add(make_line_reader(TableId::disk, schema::kDiskstats, files,
                       make_value_facts(TableId::disk, 30)));
  add(make_filesystem_reader(watch_list));
  add(make_nfs_reader());
  add(make_line_reader(TableId::net, schema::kNetDev, files, make_link_facts()));
  add(make_row_reader(TableId::ip, files));
  add(make_row_reader(TableId::tcp, files));
  add(make_row_reader(TableId::udp, files));
  add(make_line_reader(TableId::softnet, schema::kSoftnet, files, nullptr));
  auto holders = std::make_shared<SocketHolders>();
  auto scan = make_socket_scan(
      watch_list,
      {selection.has(TableId::socket), selection.has(TableId::socket_state), sockets, holders});
  add(make_socket_state_reader(scan));
  add(make_socket_reader(scan));
  add(make_unix_reader(sockets.owners, holders));
  add(make_route_reader());
  add(make_counter_reader());
  auto exits = selection.has(TableId::process_exit) ? std::make_shared<ExitLedger>() : nullptr;
  add(make_process_reader(watch_list, exits, selection));
  add(make_exit_reader(exits));
  add(make_thread_reader(all_threads));
  add(make_cgroup_reader(watch_list));
  add(make_event_reader(event_log));
  return readers;
}

}  // namespace tacho
