#include "recording/chunk_group.h"

#include <algorithm>

#include "base/bytes.h"
#include "recording/format.h"

namespace tacho {
namespace {

/// Runs of equal numbers as pairs of length and value.
template <typename T>
void put_runs(ByteWriter& out, const std::vector<T>& values) {
  for (size_t i = 0; i < values.size();) {
    size_t end = i;
    while (end < values.size() && values[end] == values[i])
      ++end;
    out.varint(end - i);
    out.varint(static_cast<uint64_t>(values[i]));
    i = end;
  }
}

template <typename T>
bool take_runs(ByteReader& in, std::vector<T>& values, size_t count) {
  while (values.size() < count) {
    uint64_t run = in.varint();
    uint64_t value = in.varint();
    if (!in.ok() || run == 0 || run > count - values.size()) return false;
    values.insert(values.end(), run, static_cast<T>(value));
  }
  return true;
}

/// Where, in the chain of all lives laid end to end, the life of each slot begins.
std::vector<uint64_t> starts_of(const std::vector<Life>& lives) {
  std::vector<uint64_t> starts;
  starts.reserve(lives.size() + 1);
  uint64_t at = 0;
  for (const Life& life : lives) {
    starts.push_back(at);
    at += life.died - life.born;
  }
  starts.push_back(at);
  return starts;
}

size_t varint_size(uint64_t v) {
  size_t size = 1;
  for (; v >= 0x80; v >>= 7)
    ++size;
  return size;
}

size_t size_of(const std::vector<ColumnChange>& changes) {
  size_t size = 0;
  for (const ColumnChange& change : changes)
    size += varint_size(zigzag(change.delta)) + 1;
  return size;
}

/// The changes of the changes. A counter that grows evenly has hardly any.
std::vector<ColumnChange> second_order(const std::vector<ColumnChange>& changes,
                                       const std::vector<Life>& lives) {
  std::vector<ColumnChange> second;
  for (size_t i = 0; i < changes.size(); ++i) {
    const ColumnChange& c = changes[i];
    bool follows = i > 0 && changes[i - 1].slot == c.slot && changes[i - 1].at + 1 == c.at;
    uint64_t before = follows ? static_cast<uint64_t>(changes[i - 1].delta) : 0;
    auto d = static_cast<int64_t>(static_cast<uint64_t>(c.delta) - before);
    if (d != 0) second.push_back({c.slot, c.at, d});
    bool followed =
        i + 1 < changes.size() && changes[i + 1].slot == c.slot && changes[i + 1].at == c.at + 1;
    if (!followed && c.at + 1 < lives[c.slot].died) {
      second.push_back(
          {c.slot, c.at + 1, static_cast<int64_t>(0 - static_cast<uint64_t>(c.delta))});
    }
  }
  return second;
}

/// Undoes second_order. Gives up, with what it has, beyond `budget` changes.
std::vector<ColumnChange> first_order(const std::vector<ColumnChange>& second,
                                      const std::vector<Life>& lives, uint64_t budget) {
  std::vector<ColumnChange> changes;
  for (size_t i = 0; i < second.size() && changes.size() <= budget;) {
    uint32_t slot = second[i].slot;
    uint64_t running = 0;
    for (uint32_t at = second[i].at; at < lives[slot].died; ++at) {
      if (i < second.size() && second[i].slot == slot && second[i].at == at) {
        running += static_cast<uint64_t>(second[i++].delta);
      }
      if (running != 0) {
        changes.push_back({slot, at, static_cast<int64_t>(running)});
      } else if (i < second.size() && second[i].slot == slot) {
        at = second[i].at - 1;  // nothing happens until then
      } else {
        break;
      }
    }
    // What lies behind the end of its life cannot be: skip it, so that damage ends the loop.
    while (i < second.size() && second[i].slot == slot && second[i].at >= lives[slot].died)
      ++i;
  }
  return changes;
}

/// Gaps and values apart: each is far more regular than the two mixed.
void put_changes(ByteWriter& out, const std::vector<ColumnChange>& changes,
                 const std::vector<Life>& lives, const std::vector<uint64_t>& starts) {
  out.varint(changes.size());
  uint64_t next = 0;
  for (const ColumnChange& c : changes) {
    uint64_t position = starts[c.slot] + (c.at - lives[c.slot].born);
    out.varint(position - next);
    next = position + 1;
  }
  for (const ColumnChange& c : changes)
    out.signed_varint(c.delta);
}

bool take_changes(ByteReader& in, std::vector<ColumnChange>& changes,
                  const std::vector<Life>& lives, const std::vector<uint64_t>& starts,
                  uint64_t budget) {
  uint64_t count = in.varint();
  if (count > in.left() / 2 || count > budget) return false;  // each takes at least two bytes
  changes.resize(count);
  uint64_t position = 0;
  size_t slot = 0;
  for (ColumnChange& c : changes) {
    if (!in.step(position, starts.back())) return false;
    while (position >= starts[slot + 1])
      ++slot;
    c.slot = static_cast<uint32_t>(slot);
    c.at = lives[slot].born + static_cast<uint32_t>(position - starts[slot]);
    ++position;
  }
  for (ColumnChange& c : changes)
    c.delta = in.signed_varint();
  return in.ok();
}

void sort_by_slot(std::vector<ColumnChange>& changes) {
  std::ranges::sort(changes, [](const ColumnChange& a, const ColumnChange& b) {
    return std::pair(a.slot, a.at) < std::pair(b.slot, b.at);
  });
}

enum : uint8_t { kFirstOrder = 0, kSecondOrder = 1 };

void put_moments(ByteWriter& out, const std::vector<TableMoment>& moments,
                 const std::vector<int64_t>& monotonic_ns) {
  uint32_t next = 0;
  for (const TableMoment& m : moments) {
    out.varint(m.sample - next);
    next = m.sample + 1;
  }
  std::vector<uint8_t> states;
  for (const TableMoment& m : moments) {
    states.push_back(static_cast<uint8_t>(static_cast<uint8_t>(m.absent) << 1 | uint8_t{m.fresh}));
  }
  put_runs(out, states);
  // Microseconds are enough for the time a table was read: rates are over milliseconds or more.
  for (const TableMoment& m : moments) {
    out.signed_varint((m.read_ns - monotonic_ns[m.sample]) / 1000);
  }
  for (const TableMoment& m : moments)
    out.signed_varint(m.cost_ns / 1000);
}

bool take_moments(ByteReader& in, std::vector<TableMoment>& moments,
                  const std::vector<int64_t>& monotonic_ns) {
  uint64_t next = 0;
  for (TableMoment& m : moments) {
    if (!in.step(next, monotonic_ns.size())) return false;
    m.sample = static_cast<uint32_t>(next++);
  }
  std::vector<uint8_t> states;
  if (!take_runs(in, states, moments.size())) return false;
  for (size_t i = 0; i < moments.size(); ++i) {
    moments[i].fresh = (states[i] & 1) != 0;
    moments[i].absent = static_cast<Absent>(states[i] >> 1);
  }
  for (TableMoment& m : moments) {
    m.read_ns = wrapping_add(monotonic_ns[m.sample], wrapping_multiply(in.signed_varint(), 1000));
  }
  for (TableMoment& m : moments)
    m.cost_ns = wrapping_multiply(in.signed_varint(), 1000);
  bool times = std::ranges::all_of(
      moments, [](const TableMoment& m) { return is_time(m.read_ns) && is_time(m.cost_ns); });
  return in.ok() && times;
}

/// Lives: born as steps from the slot before, length as what is missing to the end.
void put_lives(ByteWriter& out, const std::vector<Life>& lives, size_t moments) {
  out.varint(lives.size());
  std::vector<uint64_t> born;
  std::vector<uint64_t> missing;
  uint32_t last = 0;
  for (const Life& life : lives) {
    born.push_back(life.born - last);
    last = life.born;
    missing.push_back(moments - life.died);
  }
  put_runs(out, born);
  put_runs(out, missing);
}

/// `width` columns follow, each with at least a byte of every life.
bool take_lives(ByteReader& in, std::vector<Life>& lives, size_t moments, size_t width) {
  uint64_t count = in.varint();
  std::vector<uint64_t> born;
  std::vector<uint64_t> missing;
  if (count > in.left() / width || !take_runs(in, born, count) || !take_runs(in, missing, count)) {
    return false;
  }
  uint64_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    if (at >= moments || born[i] >= moments - at) return false;
    at += born[i];
    if (missing[i] > moments || moments - missing[i] <= at) return false;
    lives.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(moments - missing[i])});
  }
  return true;
}

}  // namespace

std::string ChunkGroup::encode(const std::vector<int64_t>& monotonic_ns) {
  std::string bytes;
  ByteWriter out(bytes);
  out.varint(moments.size());
  put_moments(out, moments, monotonic_ns);
  put_lives(out, lives, moments.size());
  std::vector<uint64_t> starts = starts_of(lives);
  size_t width = columns.size();
  for (size_t c = 0; c < width; ++c) {
    uint64_t last = 0;
    std::vector<uint8_t> reason;
    for (size_t slot = 0; slot < lives.size(); ++slot) {
      uint64_t cell = birth_cells[slot * width + c];
      out.signed_varint(static_cast<int64_t>(cell - last));
      last = cell;
      reason.push_back(static_cast<uint8_t>(birth_reasons[slot * width + c]));
    }
    put_runs(out, reason);
    sort_by_slot(columns[c]);
    std::vector<ColumnChange> second = second_order(columns[c], lives);
    bool use_second = size_of(second) < size_of(columns[c]);
    out.fixed<uint8_t>(use_second ? kSecondOrder : kFirstOrder);
    put_changes(out, use_second ? second : columns[c], lives, starts);
    sort_by_slot(reasons[c]);
    put_changes(out, reasons[c], lives, starts);
  }
  return bytes;
}

Result<ChunkGroup> ChunkGroup::decode(std::string_view bytes, size_t width,
                                      const std::vector<int64_t>& monotonic_ns, uint64_t& budget) {
  auto damaged = [] { return fail(Errc::corrupt, "a table's columns cannot be understood"); };
  ByteReader in(bytes);
  ChunkGroup group;
  uint64_t count = in.varint();
  if (count > monotonic_ns.size()) return damaged();
  group.moments.resize(count);
  if (!take_moments(in, group.moments, monotonic_ns)) return damaged();
  if (!take_lives(in, group.lives, group.moments.size(), width)) return damaged();
  std::vector<uint64_t> starts = starts_of(group.lives);
  auto spend = [&](uint64_t cells) {
    if (cells > budget) return false;
    budget -= cells;
    return true;
  };
  if (starts.back() > kMaxCells / width || !spend(group.lives.size() * width)) return damaged();
  group.birth_cells.resize(group.lives.size() * width);
  group.birth_reasons.resize(group.lives.size() * width);
  group.columns.resize(width);
  group.reasons.resize(width);
  for (size_t c = 0; c < width; ++c) {
    uint64_t last = 0;
    for (size_t slot = 0; slot < group.lives.size(); ++slot) {
      last += static_cast<uint64_t>(in.signed_varint());
      group.birth_cells[slot * width + c] = last;
    }
    std::vector<uint8_t> reason;
    if (!take_runs(in, reason, group.lives.size())) return damaged();
    for (size_t slot = 0; slot < reason.size(); ++slot) {
      group.birth_reasons[slot * width + c] = static_cast<Absent>(reason[slot]);
    }
    bool second = in.fixed<uint8_t>() == kSecondOrder;
    if (!take_changes(in, group.columns[c], group.lives, starts, budget)) return damaged();
    if (second) group.columns[c] = first_order(group.columns[c], group.lives, budget);
    if (!spend(group.columns[c].size())) return damaged();
    if (!take_changes(in, group.reasons[c], group.lives, starts, budget)) return damaged();
    if (!spend(group.reasons[c].size())) return damaged();
  }
  if (!in.ok() || !in.empty()) return damaged();
  return group;
}

void ChunkGroup::give(uint16_t table, std::vector<SampleDelta>& deltas) const {
  std::vector<TableDelta> given(moments.size());
  for (size_t i = 0; i < moments.size(); ++i) {
    const TableMoment& m = moments[i];
    given[i].table = table;
    given[i].fresh = m.fresh;
    given[i].read_ns = m.read_ns;
    given[i].cost_ns = m.cost_ns;
    given[i].absent = m.absent;
  }
  size_t width = columns.size();
  for (size_t slot = 0; slot < lives.size(); ++slot) {
    TableDelta& birth = given[lives[slot].born];
    auto cells = birth_cells.begin() + static_cast<ptrdiff_t>(slot * width);
    auto reason = birth_reasons.begin() + static_cast<ptrdiff_t>(slot * width);
    birth.birth_cells.insert(birth.birth_cells.end(), cells, cells + static_cast<ptrdiff_t>(width));
    birth.birth_reasons.insert(birth.birth_reasons.end(), reason,
                               reason + static_cast<ptrdiff_t>(width));
    if (lives[slot].died < moments.size()) {
      given[lives[slot].died].deaths.push_back(static_cast<uint32_t>(slot));
    }
  }
  for (size_t c = 0; c < width; ++c) {
    auto column = static_cast<uint16_t>(c);
    for (const ColumnChange& change : columns[c]) {
      given[change.at].changes.push_back({change.slot, column, change.delta});
    }
    for (const ColumnChange& change : reasons[c]) {
      given[change.at].reasons.push_back(
          {change.slot, column, static_cast<Absent>(static_cast<uint8_t>(change.delta))});
    }
  }
  for (size_t i = 0; i < given.size(); ++i) {
    std::ranges::sort(given[i].changes, {}, &Change::slot);
    std::ranges::sort(given[i].reasons, {}, &ReasonChange::slot);
    deltas[moments[i].sample].tables.push_back(std::move(given[i]));
  }
}

}  // namespace tacho
