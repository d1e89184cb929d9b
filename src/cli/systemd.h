// The service manager's side of `tacho record`: sd_notify(3), spoken by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tacho::cli {

/// One datagram to the socket that NOTIFY_SOCKET names; nothing where no manager listens.
void tell_systemd(const std::string& text);

/// What to say when recording has begun: READY=1, and, where the manager wants to hear from the
/// recorder more often than it samples, how often it will.
[[nodiscard]] std::string ready_text(int64_t interval_ns, const char* watchdog_usec);

}  // namespace tacho::cli
