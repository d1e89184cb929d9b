#include <algorithm>

#include "base/bytes.h"
#include "recording/delta.h"
#include "recording/format.h"

namespace tacho {
namespace {

/// Values and reasons of whole rows. Reasons are mostly "there": runs.
void encode_births(ByteWriter& out, const TableDelta& delta, size_t width) {
  out.varint(width == 0 ? 0 : delta.birth_cells.size() / width);
  for (uint64_t cell : delta.birth_cells)
    out.varint(cell);
  for (size_t i = 0; i < delta.birth_reasons.size();) {
    size_t end = i;
    while (end < delta.birth_reasons.size() && delta.birth_reasons[end] == delta.birth_reasons[i]) {
      ++end;
    }
    out.fixed(static_cast<uint8_t>(delta.birth_reasons[i]));
    out.varint(end - i);
    i = end;
  }
}

void encode_table(ByteWriter& out, const TableDelta& delta, size_t width, int64_t monotonic_ns) {
  out.varint(delta.table);
  out.fixed(static_cast<uint8_t>(delta.fresh));
  out.signed_varint(delta.read_ns - monotonic_ns);
  out.signed_varint(delta.cost_ns);
  out.fixed(static_cast<uint8_t>(delta.absent));
  out.varint(delta.deaths.size());
  uint32_t last = 0;
  for (uint32_t slot : delta.deaths) {
    out.varint(slot - last);
    last = slot;
  }
  auto position = [&](const auto& change) { return uint64_t{change.slot} * width + change.column; };
  out.varint(delta.changes.size());
  uint64_t at = 0;
  for (const Change& change : delta.changes) {
    out.varint(position(change) - at);
    out.signed_varint(change.delta);
    at = position(change);
  }
  out.varint(delta.reasons.size());
  at = 0;
  for (const ReasonChange& change : delta.reasons) {
    out.varint(position(change) - at);
    out.fixed(static_cast<uint8_t>(change.reason));
    at = position(change);
  }
  encode_births(out, delta, width);
}

Absent reason_of(uint8_t byte) {
  return static_cast<Absent>(byte);
}

bool decode_births(ByteReader& in, TableDelta& delta, size_t width) {
  uint64_t births = in.varint();
  if (births > in.left() / width) return false;  // each cell takes at least a byte
  for (uint64_t i = 0; i < births * width && in.ok(); ++i)
    delta.birth_cells.push_back(in.varint());
  while (in.ok() && delta.birth_reasons.size() < delta.birth_cells.size()) {
    Absent reason = reason_of(in.fixed<uint8_t>());
    uint64_t run = in.varint();
    if (run == 0 || run > delta.birth_cells.size() - delta.birth_reasons.size()) return false;
    delta.birth_reasons.insert(delta.birth_reasons.end(), run, reason);
  }
  return in.ok();
}

/// Hands each position of an ascending list, none of them twice, to `take`.
template <typename Take>
bool decode_positions(ByteReader& in, uint64_t end, Take take) {
  uint64_t count = in.varint();
  uint64_t position = 0;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t before = position;
    if (!in.step(position, end) || (i > 0 && position == before)) return false;
    take(position);
  }
  return in.ok();
}

bool decode_table(ByteReader& in, TableDelta& delta, const RecordedSchema& schema,
                  int64_t monotonic_ns) {
  uint64_t table = in.varint();
  if (table >= schema.size()) return false;
  size_t width = schema[table].columns.size();
  if (width == 0) return false;
  delta.table = static_cast<uint16_t>(table);
  delta.fresh = in.fixed<uint8_t>() != 0;
  delta.read_ns = wrapping_add(monotonic_ns, in.signed_varint());
  delta.cost_ns = in.signed_varint();
  delta.absent = reason_of(in.fixed<uint8_t>());
  if (!is_time(delta.read_ns) || !is_time(delta.cost_ns)) return false;
  constexpr uint64_t kSlots = uint64_t{1} << 32;
  auto slot = [&](uint64_t position) { return static_cast<uint32_t>(position / width); };
  auto column = [&](uint64_t position) { return static_cast<uint16_t>(position % width); };
  return decode_positions(
             in, kSlots,
             [&](uint64_t dead) { delta.deaths.push_back(static_cast<uint32_t>(dead)); }) &&
         decode_positions(in, kSlots * width,
                          [&](uint64_t at) {
                            delta.changes.push_back({slot(at), column(at), in.signed_varint()});
                          }) &&
         decode_positions(
             in, kSlots * width,
             [&](uint64_t at) {
               delta.reasons.push_back({slot(at), column(at), reason_of(in.fixed<uint8_t>())});
             }) &&
         decode_births(in, delta, width);
}

}  // namespace

void encode_delta(const SampleDelta& delta, const RecordedSchema& schema, std::string& bytes) {
  ByteWriter out(bytes);
  out.signed_varint(delta.clock.realtime_ns);
  out.signed_varint(delta.clock.monotonic_ns);
  out.signed_varint(delta.clock.boottime_ns);
  out.signed_varint(delta.late_ns);
  out.varint(delta.texts.size());
  for (const std::string& text : delta.texts)
    out.text(text);
  out.varint(delta.tables.size());
  for (const TableDelta& table : delta.tables) {
    encode_table(out, table, schema[table.table].columns.size(), delta.clock.monotonic_ns);
  }
}

Result<SampleDelta> decode_delta(std::string_view bytes, const RecordedSchema& schema) {
  ByteReader in(bytes);
  SampleDelta delta;
  delta.clock.realtime_ns = in.signed_varint();
  delta.clock.monotonic_ns = in.signed_varint();
  delta.clock.boottime_ns = in.signed_varint();
  delta.late_ns = in.signed_varint();
  for (int64_t ns : {delta.clock.realtime_ns, delta.clock.monotonic_ns, delta.clock.boottime_ns,
                     delta.late_ns}) {
    if (!is_time(ns)) return fail(Errc::corrupt, "the sample has a time that cannot be");
  }
  uint64_t texts = in.varint();
  for (uint64_t i = 0; i < texts && in.ok(); ++i)
    delta.texts.emplace_back(in.text());
  uint64_t tables = in.varint();
  for (uint64_t i = 0; i < tables && in.ok(); ++i) {
    TableDelta table;
    bool understood = decode_table(in, table, schema, delta.clock.monotonic_ns);
    // Each table once: a chunk is made of these without a second look.
    bool follows = delta.tables.empty() || delta.tables.back().table < table.table;
    if (!understood || !follows) {
      return fail(Errc::corrupt, "a table of the sample cannot be understood");
    }
    delta.tables.push_back(std::move(table));
  }
  if (!in.ok() || !in.empty()) return fail(Errc::corrupt, "the sample cannot be understood");
  return delta;
}

}  // namespace tacho
