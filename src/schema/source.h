// Where a metric comes from: a source (one file of the kernel, or one binary message) and a spot in
// it. The shape of the source names the reader; so a metric in a file that is already read is one
// row in a table and nothing else. Paths are relative to the root of the machine; {…} stands for a
// key of the instance.
#pragma once

#include <cstdint>
#include <string_view>

namespace tacho {

enum class Shape : uint8_t {
  keyed,    ///< lines "Key: value [unit]" or "key value": meminfo, vmstat, status, cpu.stat
  rows,     ///< a line per instance, columns counted from 0: diskstats, net/dev, loadavg, pid/stat
  hexrows,  ///< as rows, in hexadecimal: softnet_stat
  headed,   ///< pairs of lines "Tcp: names…" / "Tcp: values…": net/snmp, net/netstat
  pairs,    ///< a line key with name=value pairs: pressure, io.stat
  value,    ///< the whole file is one value: most of /sys
  record,   ///< a binary structure from netlink: offset and size
  call,     ///< the answer of a system call or of the reader itself, by name
};

struct Source;

/// A spot in a source. What counts depends on the shape: keyed: `key`, and `index` of the value
/// among those of its line; value, call: `key`; headed and pairs: `key` (line) and `field`; rows:
/// `index`; record: `index` (offset) and `size`, in bytes.
struct Place {
  const Source* source = nullptr;
  std::string_view key;
  std::string_view field;
  uint16_t index = 0;
  uint16_t size = 0;
  /// What stands there is this many times the metric's unit: 1000 for nanoseconds where another
  /// place of the metric has microseconds.
  uint32_t divisor = 1;

  [[nodiscard]] constexpr Place per(uint32_t times) const {
    Place place = *this;
    place.divisor = times;
    return place;
  }
  /// Of a keyed line with several values, the one after `before` others.
  [[nodiscard]] constexpr Place after(unsigned before) const {
    Place place = *this;
    place.index = static_cast<uint16_t>(before);
    return place;
  }
};

struct Source {
  std::string_view path;
  Shape shape;

  [[nodiscard]] constexpr Place key(std::string_view key, std::string_view field = "") const {
    return {this, key, field, 0, 0, 1};
  }
  [[nodiscard]] constexpr Place column(unsigned index) const {
    return {this, "", "", static_cast<uint16_t>(index), 0, 1};
  }
  [[nodiscard]] constexpr Place at(unsigned offset, unsigned size) const {
    return {this, "", "", static_cast<uint16_t>(offset), static_cast<uint16_t>(size), 1};
  }
  /// The only value of a file of shape `value`.
  [[nodiscard]] constexpr Place all() const { return {this, "", "", 0, 0, 1}; }
};

}  // namespace tacho
