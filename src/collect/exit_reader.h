// The table process_exit.
#pragma once

#include <memory>

#include "collect/exit_ledger.h"
#include "collect/reader.h"

namespace tacho {

/// What ended processes used that the process table has not seen; to be read after that table,
/// which tells the ledger what it saw. Absent without permission or kernel support (see
/// ExitListener).
[[nodiscard]] std::unique_ptr<Reader> make_exit_reader(std::shared_ptr<ExitLedger> ledger);

}  // namespace tacho
