#include "cli/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/clock.h"
#include "base/text.h"
#include "cli/arguments.h"

namespace tacho::cli {
namespace {

constexpr std::string_view kHow =
    "write 10:32, 10:32:05, -10m, '2026-12-01 10:32', 'yesterday 22:00', epoch seconds or RFC 3339";

tl::unexpected<Error> unreadable(std::string_view text) {
  return fail(Errc::invalid, "cannot read the time '{}': {}", text, kHow);
}

struct TimeOfDay {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int64_t fraction_ns = 0;
};

/// `digits` digits off the front, as a number of at most `most`.
std::optional<int> take(std::string_view& s, size_t digits, int most) {
  if (s.size() < digits) return std::nullopt;
  auto value = parse_u64(s.substr(0, digits));
  if (!value || *value > static_cast<uint64_t>(most)) return std::nullopt;
  s.remove_prefix(digits);
  return static_cast<int>(*value);
}

bool take(std::string_view& s, char c) {
  if (s.empty() || s.front() != c) return false;
  s.remove_prefix(1);
  return true;
}

/// "10:32[:05[.25]]" off the front.
std::optional<TimeOfDay> take_time_of_day(std::string_view& s) {
  TimeOfDay t;
  size_t hour_digits = s.size() > 1 && s[1] == ':' ? 1 : 2;
  auto hour = take(s, hour_digits, 23);
  if (!hour || !take(s, ':')) return std::nullopt;
  auto minute = take(s, 2, 59);
  if (!minute) return std::nullopt;
  t.hour = *hour;
  t.minute = *minute;
  if (!take(s, ':')) return t;
  auto second = take(s, 2, 59);
  if (!second) return std::nullopt;
  t.second = *second;
  if (!take(s, '.')) return t;
  size_t digits = std::min(s.find_first_not_of("0123456789"), s.size());
  auto fraction = parse_fixed("0." + std::string(s.substr(0, digits)), 9);
  if (digits == 0 || !fraction) return std::nullopt;
  t.fraction_ns = *fraction;
  s.remove_prefix(digits);
  return t;
}

/// "2026-12-01" off the front, into year, month and day.
bool take_date(std::string_view& s, std::tm& tm) {
  auto year = take(s, 4, 9999);
  if (!year || !take(s, '-')) return false;
  auto month = take(s, 2, 12);
  if (!month || *month == 0 || !take(s, '-')) return false;
  auto day = take(s, 2, 31);
  if (!day || *day == 0) return false;
  tm.tm_year = *year - 1900;
  tm.tm_mon = *month - 1;
  tm.tm_mday = *day;
  return true;
}

bool same_clock(const std::tm& a, const std::tm& b) {
  return a.tm_year == b.tm_year && a.tm_mon == b.tm_mon && a.tm_mday == b.tm_mday &&
         a.tm_hour == b.tm_hour && a.tm_min == b.tm_min && a.tm_sec == b.tm_sec;
}

/// The moment at which local clocks show that date and time; nothing where they never do.
std::optional<int64_t> local_moment(std::tm tm, const TimeOfDay& t, Twice twice) {
  tm.tm_hour = t.hour;
  tm.tm_min = t.minute;
  tm.tm_sec = t.second;
  std::optional<int64_t> found;
  // The C library chooses freely between two readings of a clock: ask for each, and keep what shows
  // that very time when it is turned back into a date.
  for (int summer : {0, 1, -1}) {
    std::tm tried = tm;
    tried.tm_isdst = summer;
    std::time_t seconds = std::mktime(&tried);
    std::tm back{};
    if (!localtime_r(&seconds, &back) || !same_clock(back, tm)) continue;
    int64_t moment = static_cast<int64_t>(seconds) * kSecond + t.fraction_ns;
    bool better = !found || (twice == Twice::earlier ? moment < *found : moment > *found);
    if (better) found = moment;
  }
  return found;
}

std::tm local_date(int64_t realtime_ns, int days_later = 0) {
  auto seconds = static_cast<std::time_t>(realtime_ns / kSecond);
  std::tm tm{};
  localtime_r(&seconds, &tm);
  tm.tm_mday += days_later;
  tm.tm_hour = 12;  // no clock changes at noon: the day after is the day after
  tm.tm_min = tm.tm_sec = 0;
  tm.tm_isdst = -1;
  std::mktime(&tm);
  return tm;
}

/// "Z", "+08:00", "-0530" as seconds east of Greenwich.
std::optional<int> offset_seconds(std::string_view s) {
  if (s == "Z" || s == "z") return 0;
  int sign = take(s, '+') ? 1 : take(s, '-') ? -1 : 0;
  if (sign == 0) return std::nullopt;
  auto hours = take(s, 2, 23);
  take(s, ':');
  auto minutes = take(s, 2, 59);
  if (!hours || !minutes || !s.empty()) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

Result<int64_t> skipped_by_clock(std::string_view text) {
  return fail(Errc::invalid, "the time '{}' does not exist: no such day, or the clock skipped it",
              text);
}

Result<int64_t> parse_date(std::string_view text, std::tm tm, std::string_view rest, Twice twice) {
  TimeOfDay t;
  if (!rest.empty()) {
    if (!take(rest, 'T') && !take(rest, 't') && !take(rest, ' ')) return unreadable(text);
    rest = trim(rest);
    auto read = take_time_of_day(rest);
    if (!read) return unreadable(text);
    t = *read;
  }
  rest = trim(rest);
  if (rest.empty()) {
    auto moment = local_moment(tm, t, twice);
    return moment ? Result<int64_t>(*moment) : skipped_by_clock(text);
  }
  auto offset = offset_seconds(rest);
  if (!offset) return unreadable(text);
  std::tm utc = tm;
  utc.tm_hour = t.hour;
  utc.tm_min = t.minute;
  utc.tm_sec = t.second;
  std::tm asked = utc;
  std::time_t seconds = timegm(&utc);
  if (!same_clock(asked, utc)) return skipped_by_clock(text);
  return (static_cast<int64_t>(seconds) - *offset) * kSecond + t.fraction_ns;
}

/// Epoch seconds: nine digits at least, so that a year or a time of day is not taken for them.
std::optional<int64_t> parse_epoch(std::string_view s) {
  bool marked = take(s, '@');
  size_t digits = std::min(s.find_first_not_of("0123456789"), s.size());
  if (!marked && digits < 9) return std::nullopt;
  return parse_fixed(s, 9);
}

}  // namespace

Result<int64_t> parse_time(std::string_view text, int64_t now_ns, Twice twice) {
  std::string_view s = trim(text);
  if (s == "now") return now_ns;
  if (!s.empty() && s.front() == '-') {
    auto ago = parse_duration(s.substr(1));
    if (!ago) return unreadable(text);
    return now_ns - *ago;
  }
  if (auto epoch = parse_epoch(s)) return *epoch;
  for (auto [word, days] : {std::pair{std::string_view("yesterday"), -1}, {"today", 0}}) {
    if (s.substr(0, word.size()) != word) continue;
    return parse_date(text, local_date(now_ns, days), s.substr(word.size()), twice);
  }
  std::tm tm{};
  std::string_view rest = s;
  if (take_date(rest, tm)) return parse_date(text, tm, rest, twice);

  rest = s;
  auto t = take_time_of_day(rest);
  if (!t || !rest.empty()) return unreadable(text);
  auto today = local_moment(local_date(now_ns), *t, twice);
  if (today && *today <= now_ns) return *today;
  auto yesterday = local_moment(local_date(now_ns, -1), *t, twice);
  return yesterday ? Result<int64_t>(*yesterday) : skipped_by_clock(text);
}

namespace {

bool is_time_of_day(std::string_view text) {
  std::string_view s = trim(text);
  return take_time_of_day(s) && s.empty();
}

/// The end of a range. "10:40" at 10:35 is the one to come, if the range begins today.
Result<int64_t> parse_end(std::string_view text, int64_t from_ns, int64_t now_ns) {
  auto end = parse_time(text, now_ns, Twice::later);
  if (!end || *end >= from_ns || !is_time_of_day(text)) return end;
  std::string_view s = trim(text);
  auto next = local_moment(local_date(*end, 1), *take_time_of_day(s), Twice::later);
  return next && *next >= from_ns ? Result<int64_t>(*next) : end;
}

Result<Range> read_words(const RangeWords& words, int64_t now_ns, const Range& held) {
  if (words.last) {
    if (words.from || words.to)
      return fail(Errc::invalid, "--last stands alone, without --from or --to");
    auto length = parse_duration(*words.last);
    if (!length || *length <= 0) {
      return fail(Errc::invalid, "cannot read the duration '{}': write 90s, 10m, 2h or 1d",
                  *words.last);
    }
    return Range{now_ns - *length, now_ns};
  }
  Range range = held;
  if (words.from) {
    auto from = parse_time(*words.from, now_ns);
    if (!from) return tl::unexpected(from.error());
    range.from_ns = *from;
    range.to_ns = std::max(now_ns, held.to_ns);
  }
  if (words.to) {
    auto to = parse_end(*words.to, words.from ? range.from_ns : INT64_MIN, now_ns);
    if (!to) return tl::unexpected(to.error());
    range.to_ns = *to;
  }
  if (words.from && range.to_ns < range.from_ns) {
    return fail(Errc::invalid, "the range ends before it begins: {}", to_text(range));
  }
  return range;
}

}  // namespace

Result<Range> parse_range(const RangeWords& words, int64_t now_ns, const Range& held) {
  auto range = read_words(words, now_ns, held);
  if (!range) return range;
  if (range->to_ns < held.from_ns || range->from_ns > held.to_ns) {
    return fail(Errc::not_found, "nothing was recorded then: the recording holds {}",
                to_text(held));
  }
  return range;
}

std::string to_text(const Range& range) {
  std::string day = local_time(range.from_ns, "%F");
  bool same_day = local_time(range.to_ns, "%F") == day;
  return fmt::format("{} to {}", local_time(range.from_ns, "%F %T"),
                     local_time(range.to_ns, same_day ? "%T" : "%F %T"));
}

void RangeWords::declare(Arguments& args) {
  args.value("--last", last, "DURATION", "look at the last 90s, 10m, 2h ...");
  args.value("--from", from, "TIME",
             "look from 10:32, -10m, '2026-12-01 10:32', 'yesterday 22:00', epoch seconds ...");
  args.value("--to", to, "TIME", "... to that time; without it, until now");
}

}  // namespace tacho::cli
