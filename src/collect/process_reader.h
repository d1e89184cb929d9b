// The tables process and thread.
#pragma once

#include <memory>

#include "collect/exit_ledger.h"
#include "collect/reader.h"
#include "collect/tree.h"

namespace tacho {

/// Every process of proc/. What costs is paid where something happened: schedstat tells in one
/// cheap read whether the leading thread of a process has run since the last sample, and a process
/// that has not cannot have changed what it alone changes (CPU time, faults, I/O, switches). Of
/// such a process stat is read every kRefresh samples, staggered, and the rest more rarely: what
/// others change of it (its resident memory when pages are reclaimed, its parent, its priority) may
/// be that much late. With more threads, stat and io are read each time. Tells the list who is in
/// the watched tree, and `exits`, which may be null, of every scan. Of a selection that names
/// columns (a view), only the files that have them are read, and those that show what others change
/// (stat, statm) anew in every sample.
[[nodiscard]] std::unique_ptr<Reader> make_process_reader(std::shared_ptr<WatchList> list,
                                                          std::shared_ptr<ExitLedger> exits,
                                                          const Selection& selection);
inline constexpr unsigned kRefresh = 16;

/// Every thread of the watched tree, to be read after the process table; or, where `all`, every
/// thread there is.
[[nodiscard]] std::unique_ptr<Reader> make_thread_reader(bool all);

}  // namespace tacho
