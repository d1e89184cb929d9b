#include "views/iostat/columns.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "derive/figure.h"
#include "render/number.h"

namespace tacho::iostat {
namespace {

using R = DiskUse::Requests;

template <R DiskUse::*kind>
Number count_rate(const DiskUse& u) {
  return u.per_second((u.*kind).count);
}
template <R DiskUse::*kind>
Number byte_rate(const DiskUse& u) {
  return u.per_second((u.*kind).bytes);
}
template <R DiskUse::*kind>
Number merge_rate(const DiskUse& u) {
  return u.per_second((u.*kind).merged);
}
template <R DiskUse::*kind>
Number merged_share(const DiskUse& u) {
  return (u.*kind).merged_share();
}
template <R DiskUse::*kind>
Number await(const DiskUse& u) {
  return (u.*kind).await();
}
template <R DiskUse::*kind>
Number size(const DiskUse& u) {
  return (u.*kind).size();
}
template <R DiskUse::*kind>
Number bytes(const DiskUse& u) {
  return (u.*kind).bytes;
}

Number sum(Number a, Number b) {
  if (a.absent == Absent::not_supported) return b;
  if (b.absent == Absent::not_supported) return a;
  return a && b ? Number(*a + *b) : a ? b : a;
}
Number written(const DiskUse& u) {
  return sum(u.writes.bytes, u.discards.bytes);
}

template <R DiskUse::*kind>
Columns extended(const char* const (&titles)[6], const char* const (&keys)[6]) {
  return {{titles[0], keys[0], 7, Form::rate, count_rate<kind>},
          {titles[1], keys[1], 9, Form::bytes, byte_rate<kind>},
          {titles[2], keys[2], 8, Form::rate, merge_rate<kind>},
          {titles[3], keys[3], 6, Form::percent, merged_share<kind>},
          {titles[4], keys[4], 7, Form::ms, await<kind>},
          {titles[5], keys[5], 8, Form::kbytes, size<kind>}};
}

DiskColumn queue_column() {
  return {"aqu-sz", "aqu-sz", 7, Form::rate, [](const DiskUse& u) { return u.queue(); }};
}
DiskColumn util_column(const IostatOptions& options) {
  if (options.raw_util) {
    return {"%util", "util", 6, Form::percent, [](const DiskUse& u) { return u.raw_util(); }};
  }
  return {"%util", "util", 6, Form::percent, [](const DiskUse& u) { return u.util(); }};
}

std::vector<Columns> extended_tables(const IostatOptions& options) {
  return {extended<&DiskUse::reads>({"r/s", "r@/s", "rrqm/s", "%rrqm", "r_await", "rareq-sz"},
                                    {"r/s", "r@/s", "rrqm/s", "rrqm", "r_await", "rareq-sz"}),
          extended<&DiskUse::writes>({"w/s", "w@/s", "wrqm/s", "%wrqm", "w_await", "wareq-sz"},
                                     {"w/s", "w@/s", "wrqm/s", "wrqm", "w_await", "wareq-sz"}),
          extended<&DiskUse::discards>({"d/s", "d@/s", "drqm/s", "%drqm", "d_await", "dareq-sz"},
                                       {"d/s", "d@/s", "drqm/s", "drqm", "d_await", "dareq-sz"}),
          {{"f/s", "f/s", 7, Form::rate, [](const DiskUse& u) { return u.per_second(u.flushes); }},
           {"f_await", "f_await", 7, Form::ms, [](const DiskUse& u) { return u.flush_await(); }},
           queue_column(),
           util_column(options)}};
}

Columns brief_extended(const IostatOptions& options) {
  return {
      {"tps", "tps", 8, Form::rate, [](const DiskUse& u) { return u.per_second(u.all().count); }},
      {"@/s", "@/s", 9, Form::bytes, [](const DiskUse& u) { return u.per_second(u.all().bytes); }},
      {"rqm/s", "rqm/s", 8, Form::rate,
       [](const DiskUse& u) { return u.per_second(u.all().merged); }},
      {"await", "await", 7, Form::ms, [](const DiskUse& u) { return u.all().await(); }},
      {"areq-sz", "areq-sz", 8, Form::kbytes, [](const DiskUse& u) { return u.all().size(); }},
      queue_column(),
      util_column(options)};
}

Columns basic(bool brief) {
  Columns columns{
      {"tps", "tps", 8, Form::rate, [](const DiskUse& u) { return u.per_second(u.all().count); }},
      {"@_read/s", "@_read/s", 12, Form::bytes, byte_rate<&DiskUse::reads>}};
  if (brief) {
    columns.push_back({"@_w+d/s", "@_w+d/s", 12, Form::bytes,
                       [](const DiskUse& u) { return u.per_second(written(u)); }});
    columns.push_back({"@_read", "@_read", 10, Form::total, bytes<&DiskUse::reads>});
    columns.push_back({"@_w+d", "@_w+d", 10, Form::total, written});
    return columns;
  }
  columns.push_back({"@_wrtn/s", "@_wrtn/s", 12, Form::bytes, byte_rate<&DiskUse::writes>});
  columns.push_back({"@_dscd/s", "@_dscd/s", 12, Form::bytes, byte_rate<&DiskUse::discards>});
  columns.push_back({"@_read", "@_read", 10, Form::total, bytes<&DiskUse::reads>});
  columns.push_back({"@_wrtn", "@_wrtn", 10, Form::total, bytes<&DiskUse::writes>});
  columns.push_back({"@_dscd", "@_dscd", 10, Form::total, bytes<&DiskUse::discards>});
  return columns;
}

/// 1.5G of 1597749 kB: one digit behind the point, a letter behind that.
std::string human_bytes(double kbytes, const IostatOptions& options) {
  constexpr std::array kLetters{'k', 'M', 'G', 'T', 'P', 'E'};
  size_t letter = 0;
  for (; kbytes >= 1024 && letter + 1 < kLetters.size(); ++letter)
    kbytes /= 1024;
  return fmt::format("{:.{}f}{}", kbytes, options.digits > 0 ? 1 : 0, kLetters[letter]);
}

}  // namespace

std::vector<Columns> tables_of(const IostatOptions& options) {
  if (!options.extended) return {basic(options.brief)};
  if (options.brief) return {brief_extended(options)};
  std::vector<Columns> tables = extended_tables(options);
  if (options.pretty && !options.compact) return tables;
  Columns one;
  for (const Columns& table : tables)
    one.insert(one.end(), table.begin(), table.end());
  return {one};
}

Columns json_columns(const IostatOptions& options) {
  if (!options.extended || options.brief) return tables_of(options)[0];
  // Kind by kind rather than request by request.
  std::vector<Columns> tables = extended_tables(options);
  Columns columns;
  for (size_t figure = 0; figure < 6; ++figure) {
    for (size_t kind = 0; kind < 3; ++kind) {
      columns.push_back(tables[kind][figure]);
    }
    if (figure == 0) columns.push_back(tables[3][0]);
    if (figure == 4) columns.push_back(tables[3][1]);
  }
  columns.push_back(tables[3][2]);
  columns.push_back(tables[3][3]);
  return columns;
}

std::string with_unit(const char* text, const IostatOptions& options) {
  const char* unit = options.unit == 512           ? "Blk"
                     : options.unit == 1024        ? "kB"
                     : options.unit == 1024 * 1024 ? "MB"
                                                   : "GB";
  std::string out;
  for (; *text != '\0'; ++text) {
    if (*text == '@') {
      // "rsec/s" of old, where blocks are asked for.
      bool leads = out.empty();
      out += options.unit == 512 && !leads ? "sec" : unit;
    } else {
      out += *text;
    }
  }
  return out;
}

Number zero_where_none(Number value) {
  bool none = value.absent == Absent::not_supported || value.absent == Absent::not_applicable;
  return none ? Number(0.0) : value;
}

Number shown(Number value, Form form, const IostatOptions& options) {
  if (!value) return value;
  switch (form) {
    case Form::bytes:
      return *value / static_cast<double>(options.unit);
    case Form::total:  // cut off, not rounded
      return std::floor(*value / static_cast<double>(options.unit));
    case Form::kbytes:
      return *value / (options.unit == 512 ? 512 : 1024);
    case Form::ms:
      return *value * 1000;
    default:
      return value;
  }
}

std::string percent_text(Number value, const IostatOptions& options) {
  if (!options.human) return format_fixed(value, options.digits);
  int digits = options.digits > 1 ? options.digits - 1 : options.digits;
  return value ? format_fixed(value, digits) + "%" : std::string(kAbsentText);
}

std::string text_of(Number value, const DiskColumn& column, const IostatOptions& options) {
  value = zero_where_none(value);
  if (!value) return kAbsentText;
  bool is_bytes =
      column.form == Form::bytes || column.form == Form::total || column.form == Form::kbytes;
  if (options.human && is_bytes) return human_bytes(*value / 1024, options);
  if (column.form == Form::percent) return percent_text(value, options);
  Number in_unit = shown(value, column.form, options);
  return format_fixed(in_unit, column.form == Form::total ? 0 : options.digits);
}

std::vector<CpuShare> cpu_shares(const Window& window) {
  using figure::CpuPart;
  const TableWindow& table = window.table(TableId::cpu);
  auto share = [&](CpuPart part) {
    if (table.size() == 0) return Number(table.absent());
    return zero_where_none(figure::cpu_share(window, 0, part));
  };
  Number system = sum(sum(share(CpuPart::system), share(CpuPart::irq)), share(CpuPart::softirq));
  return {{"user", share(CpuPart::user)},
          {"nice", share(CpuPart::nice)},
          {"system", system},
          {"iowait", share(CpuPart::iowait)},
          {"steal", share(CpuPart::steal)},
          {"idle", share(CpuPart::idle)}};
}

}  // namespace tacho::iostat
