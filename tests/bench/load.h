// The standard load: processes that are mostly idle, and some sockets.
#pragma once

namespace tacho::bench {

/// Of every 20 processes one wakes ten times a second, one once a second, both to work for a
/// moment; 18 sleep. Both ends of the connections are ours, over loopback; one in ten has bytes
/// waiting. Says "ready" when all are there, and goes on until standard input is closed: the
/// processes end with this one. False, with errno, where the machine does not give so much.
bool hold_load(int processes, int connections);

}  // namespace tacho::bench
