#include "base/clock.h"

#include <fmt/format.h>

#include <ctime>

namespace tacho {
namespace {

int64_t read_clock(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<int64_t>(t.tv_sec) * kSecond + t.tv_nsec;
}

/// Floor division: the second that a time before 1970 lies in is the earlier one.
time_t second_of(int64_t ns) {
  int64_t seconds = ns / kSecond;
  return static_cast<time_t>(ns % kSecond < 0 ? seconds - 1 : seconds);
}

}  // namespace

Clocks Clocks::now() {
  return {read_clock(CLOCK_REALTIME), read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_BOOTTIME)};
}

int64_t realtime_ns() {
  return read_clock(CLOCK_REALTIME);
}
int64_t monotonic_ns() {
  return read_clock(CLOCK_MONOTONIC);
}
int64_t thread_cpu_ns() {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
int64_t process_cpu_ns() {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

std::string local_time(int64_t realtime_ns, const char* format) {
  time_t second = second_of(realtime_ns);
  tm local{};
  localtime_r(&second, &local);
  char text[128];
  return {text, std::strftime(text, sizeof text, format, &local)};
}

std::string rfc3339(int64_t realtime_ns, int fraction_digits) {
  std::string text = local_time(realtime_ns, "%Y-%m-%dT%H:%M:%S");
  if (fraction_digits > 0) {
    int64_t fraction = realtime_ns - static_cast<int64_t>(second_of(realtime_ns)) * kSecond;
    text += '.' + fmt::format("{:09}", fraction).substr(0, static_cast<size_t>(fraction_digits));
  }
  std::string zone = local_time(realtime_ns, "%z");  // +0800
  if (zone.size() == 5) zone.insert(3, ":");
  return text + zone;
}

}  // namespace tacho
