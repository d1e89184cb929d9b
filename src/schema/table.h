// A table of the schema: WHAT can be measured about one subject. A metric is declared here once;
// collecting, recording, deriving, showing, dumping and documenting all walk these declarations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "schema/source.h"
#include "schema/unit.h"

namespace tacho {

/// One per table, in the order in which they are shown. Not stored: recordings name their tables.
enum class TableId : uint8_t {
  host,
  cpu,
  cpu_clock,
  system,
  memory,
  vm,
  pressure,
  disk,
  filesystem,
  mount_nfs,
  net,
  ip,
  tcp,
  udp,
  softnet,
  socket_state,
  socket,
  socket_unix,
  route,
  net_counter,
  process,
  process_exit,
  thread,
  cgroup,
  event,
  progress,
  recorder,
  source_cost,
};
inline constexpr size_t kTableCount = static_cast<size_t>(TableId::source_cost) + 1;

/// Stored in recordings by value: do not change, append only.
enum class Kind : uint8_t {
  key = 0,      ///< identifies the instance; equal keys in two samples are the same instance
  counter = 1,  ///< only grows while its instance lives: read as a rate
  gauge = 2,    ///< holds at the instant it was read
  text = 3,     ///< a gauge whose values are words
  flags = 4,    ///< bits
};

/// Stored in recordings by value: do not change, append only.
enum class Type : uint8_t {
  u64 = 0,
  u32 = 1,   ///< as u64, but a counter wraps at 2^32
  i64 = 2,   ///< two's complement in the 64 bits
  text = 3,  ///< an id in the TextPool
};

/// How often a table is worth reading.
struct Cadence {
  enum class When : uint8_t {
    every_sample,
    every,
    on_change,
    on_request
  } when = When::every_sample;
  int seconds = 0;  ///< for `every` and `on_change`: at most this often
};
inline constexpr Cadence kEverySample{};
constexpr Cadence every_seconds(int seconds) {
  return {Cadence::When::every, seconds};
}
/// Facts: looked at every `seconds`, recorded when they differ from what was recorded last.
constexpr Cadence on_change(int seconds) {
  return {Cadence::When::on_change, seconds};
}
/// Read for whom asks for it by name, and never recorded.
inline constexpr Cadence kOnRequest{Cadence::When::on_request, 0};

inline constexpr size_t kMaxPlaces = 3;

struct Metric {
  std::string_view name;
  Kind kind = Kind::gauge;
  Type type = Type::u64;
  Unit unit;
  std::array<Place, kMaxPlaces> from{};  ///< in order of preference; a null source ends the list
  std::string_view help;                 ///< a message id
  std::string_view alias;                ///< its name in older recordings, if it had another

  [[nodiscard]] constexpr Metric u32() const {
    Metric m = *this;
    m.type = Type::u32;
    return m;
  }
  [[nodiscard]] constexpr Metric i64() const {
    Metric m = *this;
    m.type = Type::i64;
    return m;
  }
  [[nodiscard]] constexpr Metric in(Unit other) const {
    Metric m = *this;
    m.unit = other;
    return m;
  }
  [[nodiscard]] constexpr Metric was(std::string_view older_name) const {
    Metric m = *this;
    m.alias = older_name;
    return m;
  }
};

using From = std::array<Place, kMaxPlaces>;
constexpr From from(Place first, Place second = {}, Place third = {}) {
  return {first, second, third};
}
constexpr Metric counter(std::string_view name, Unit unit, From places, std::string_view help) {
  return {name, Kind::counter, Type::u64, unit, places, help, ""};
}
constexpr Metric gauge(std::string_view name, Unit unit, From places, std::string_view help) {
  return {name, Kind::gauge, Type::u64, unit, places, help, ""};
}
constexpr Metric text(std::string_view name, From places, std::string_view help) {
  return {name, Kind::text, Type::text, unit::count, places, help, ""};
}
constexpr Metric flags(std::string_view name, From places, std::string_view help) {
  return {name, Kind::flags, Type::u64, unit::count, places, help, ""};
}
constexpr Metric key(std::string_view name, From places, std::string_view help) {
  return {name, Kind::key, Type::u64, unit::count, places, help, ""};
}
constexpr Metric text_key(std::string_view name, From places, std::string_view help) {
  return {name, Kind::key, Type::text, unit::count, places, help, ""};
}

/// A metric of a table: what `schema::disk["read_bytes"]` gives. A name that the table lacks does
/// not compile.
struct Column {
  TableId table;
  uint16_t index;

  bool operator==(const Column&) const = default;
};

/// The table without its size in its type.
struct TableView {
  TableId id;
  std::string_view name;
  std::string_view help;
  Cadence cadence;
  std::span<const Metric> metrics;
};

template <size_t N>
struct Table {
  TableId id;
  std::string_view name;
  std::string_view help;
  Cadence cadence;
  std::array<Metric, N> metrics;

  consteval Column operator[](std::string_view metric) const {
    for (size_t i = 0; i < N; ++i) {
      if (metrics[i].name == metric) return {id, static_cast<uint16_t>(i)};
    }
    throw "this table has no such metric";  // reached at compile time only: the typo is the error
  }
  [[nodiscard]] constexpr TableView view() const { return {id, name, help, cadence, metrics}; }
};

template <size_t N>
constexpr Table<N> table(TableId id, std::string_view name, std::string_view help, Cadence cadence,
                         const Metric (&metrics)[N]) {
  return {id, name, help, cadence, std::to_array(metrics)};
}

}  // namespace tacho
