// Which reader reads which table: the one place where readers are made.
#pragma once

#include "collect/reader.h"
#include "collect/socket_options.h"
#include "sample/sample.h"

namespace tacho {

class EventLog;
class WatchList;

/// Every reader of the selected tables; what is not selected is not read. `all_threads`: as in
/// CollectorOptions.
[[nodiscard]] Readers make_readers(const Selection& selection, bool all_threads,
                                   const std::shared_ptr<WatchList>& watch_list,
                                   const std::shared_ptr<EventLog>& event_log,
                                   const SocketOptions& sockets = {});

}  // namespace tacho
