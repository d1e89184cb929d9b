#include "cli/systemd.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "base/text.h"

namespace tacho::cli {

void tell_systemd(const std::string& text) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || *path == '\0') return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  size_t length = std::strlen(path);
  if (length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, length);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // in the abstract name space
  Fd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  // A manager that does not listen is no reason not to record.
  (void)!sendto(fd.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                reinterpret_cast<const sockaddr*>(&address),
                static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
}

std::string ready_text(int64_t interval_ns, const char* watchdog_usec) {
  std::string text = "READY=1";
  auto wanted = watchdog_usec != nullptr ? parse_u64(watchdog_usec) : std::nullopt;
  auto needed = static_cast<uint64_t>(interval_ns / 1000) * 3;
  if (wanted && *wanted < needed) text += fmt::format("\nWATCHDOG_USEC={}", needed);
  return text;
}

}  // namespace tacho::cli
