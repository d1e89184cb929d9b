// The three clocks. REALTIME is for people, MONOTONIC for rates, BOOTTIME (which, unlike MONOTONIC,
// runs on while the machine sleeps) shows a suspend. See clock_gettime(2).
#pragma once

#include <cstdint>
#include <string>

namespace tacho {

inline constexpr int64_t kSecond = 1'000'000'000;  ///< in nanoseconds, as all times here
inline constexpr int64_t kMillisecond = 1'000'000;

/// One instant on all three clocks, in nanoseconds.
struct Clocks {
  int64_t realtime_ns = 0;
  int64_t monotonic_ns = 0;
  int64_t boottime_ns = 0;

  bool operator==(const Clocks&) const = default;
  [[nodiscard]] static Clocks now();
};

[[nodiscard]] int64_t realtime_ns();
[[nodiscard]] int64_t monotonic_ns();
/// CPU time this thread has used.
[[nodiscard]] int64_t thread_cpu_ns();
/// CPU time all threads of this process have used.
[[nodiscard]] int64_t process_cpu_ns();

/// "2026-12-01T10:32:05+08:00" in local time; with `fraction_digits` 3, "…05.250+08:00".
[[nodiscard]] std::string rfc3339(int64_t realtime_ns, int fraction_digits = 0);
/// strftime in local time.
[[nodiscard]] std::string local_time(int64_t realtime_ns, const char* format);

}  // namespace tacho
