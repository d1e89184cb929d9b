// Units. A stored integer is the source's own (KiB of meminfo, 512-byte sectors of diskstats, clock
// ticks of stat): that keeps it exact and small. Its unit says how to make of it the figure that
// people read: value = stored × num / den, in the symbol's unit.
#pragma once

#include <cstdint>
#include <string_view>

namespace tacho {

/// What is measured; figures of one dimension can be compared and formatted alike.
/// Stored in recordings by value: do not change, append only.
enum class Dimension : uint8_t {
  none = 0,     ///< a plain number: a count, an identifier, a load
  bytes = 1,    ///< in bytes
  seconds = 2,  ///< in seconds
  percent = 3,
  hertz = 4,
  bits_per_second = 5,
  celsius = 6,
  watts = 7,
  joules = 8,
};

struct Unit {
  Dimension dimension = Dimension::none;
  uint64_t num = 1;
  uint64_t den = 1;

  [[nodiscard]] constexpr double factor() const {
    return static_cast<double>(num) / static_cast<double>(den);
  }
  bool operator==(const Unit&) const = default;
};

namespace unit {
inline constexpr Unit count{};
inline constexpr Unit hundredths{Dimension::none, 1, 100};  ///< loadavg: 1.25 is stored as 125
inline constexpr Unit bytes{Dimension::bytes, 1, 1};
inline constexpr Unit kib{Dimension::bytes, 1024, 1};
inline constexpr Unit mib{Dimension::bytes, 1048576, 1};
inline constexpr Unit sectors{Dimension::bytes, 512, 1};  ///< the block layer's, whatever the disk
inline constexpr Unit ticks{Dimension::seconds, 1, 100};  ///< USER_HZ, 100 on every Linux we run on
inline constexpr Unit seconds{Dimension::seconds, 1, 1};
inline constexpr Unit ms{Dimension::seconds, 1, 1'000};
inline constexpr Unit us{Dimension::seconds, 1, 1'000'000};
inline constexpr Unit ns{Dimension::seconds, 1, 1'000'000'000};
inline constexpr Unit percent{Dimension::percent, 1, 1};
inline constexpr Unit percent_hundredths{Dimension::percent, 1, 100};
inline constexpr Unit khz{Dimension::hertz, 1'000, 1};
inline constexpr Unit mhz{Dimension::hertz, 1'000'000, 1};
inline constexpr Unit mbit_s{Dimension::bits_per_second, 1'000'000, 1};
inline constexpr Unit millicelsius{Dimension::celsius, 1, 1000};
inline constexpr Unit milliwatts{Dimension::watts, 1, 1000};
}  // namespace unit

/// "B", "s", "%", "Hz", "bit/s", "°C", "W", "J"; "" for a plain number.
[[nodiscard]] std::string_view symbol(Dimension dimension);

}  // namespace tacho
