// The Cursor over a machine: each sample is read when it is asked for, at the pace of an interval.
#pragma once

#include <cstdint>
#include <memory>

#include "collect/collector.h"
#include "sample/cursor.h"

namespace tacho {

/// next() sleeps until the next multiple of the interval after the first sample (an absolute time:
/// late samples do not add up). Over a rooted machine it goes to the next folder instead, and gives
/// null after the last. first(), last() and at() give the present sample.
[[nodiscard]] Result<std::unique_ptr<Cursor>> open_live(std::shared_ptr<Machine> machine,
                                                        const Selection& selection,
                                                        int64_t interval_ns,
                                                        const CollectorOptions& options = {});

}  // namespace tacho
