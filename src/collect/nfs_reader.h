// The table mount_nfs: what each NFS mount asks of its server, by operation.
#pragma once

#include <memory>
#include <string_view>

#include "collect/reader.h"

namespace tacho {

/// Reads proc/self/mountstats, which never waits for a server. A row per mount and operation that
/// was ever used.
[[nodiscard]] std::unique_ptr<Reader> make_nfs_reader();

/// The text of mountstats (net/sunrpc/stats.c, rpc_clnt_show_stats): "device S mounted on P with
/// fstype nfs4 …", and below "per-op statistics" lines "READ: operations transmissions timeouts
/// sent received queue_ms rtt_ms execute_ms [errors]". Lines that are none are left out.
void parse_mountstats(std::string_view text, Rows& rows);

}  // namespace tacho
