// What the line of an interface in net/dev does not say: speed, duplex, carrier, highest speed.
#pragma once

#include <memory>

#include "collect/file_reader.h"

namespace tacho {

/// Fills the columns of table `net` that come from /sys/class/net and from ethtool. Asking may wait
/// for the driver and for the lock of the network configuration, so a thread of its own asks, every
/// 10 s; the sampling thread takes what is there. While the thread hangs the cells are absent with
/// `timed_out`; those of an interface that has just appeared, with `not_due`.
///
/// Virtual devices say -1, or refuse: that is no speed, not a speed of 0.
[[nodiscard]] std::unique_ptr<RowFacts> make_link_facts();

}  // namespace tacho
