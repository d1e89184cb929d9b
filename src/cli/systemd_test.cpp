#include "cli/systemd.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/clock.h"
#include "base/file.h"

namespace tacho::cli {
namespace {

/// What arrives at a manager's socket of this name.
std::string received(const std::string& name, const std::string& text) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  Fd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return "cannot bind";
  setenv("NOTIFY_SOCKET", name.c_str(), 1);
  tell_systemd(text);
  unsetenv("NOTIFY_SOCKET");
  std::array<char, 256> bytes;
  ssize_t got = recv(fd.get(), bytes.data(), bytes.size(), 0);
  return got < 0 ? "nothing" : std::string(bytes.data(), static_cast<size_t>(got));
}

TEST(Systemd, GetsOneDatagramByPathAndByAbstractName) {
  std::string pattern = (std::filesystem::temp_directory_path() / "tacho-notify-XXXXXX").string();
  std::string folder = mkdtemp(pattern.data());
  EXPECT_EQ(received(folder + "/socket", "READY=1"), "READY=1");
  EXPECT_EQ(received("@tacho-test-" + std::to_string(getpid()), "WATCHDOG=1"), "WATCHDOG=1");
  std::filesystem::remove_all(folder);
}

TEST(Systemd, NobodyListeningIsNoTrouble) {
  unsetenv("NOTIFY_SOCKET");
  tell_systemd("READY=1");
  for (const std::string& name : {std::string(), std::string("/nowhere"), std::string(200, 'x')}) {
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    tell_systemd("READY=1");
  }
  unsetenv("NOTIFY_SOCKET");
}

TEST(Systemd, AWatchdogShorterThanThreeSamplesIsMadeLonger) {
  EXPECT_EQ(ready_text(10 * kSecond, nullptr), "READY=1");
  EXPECT_EQ(ready_text(10 * kSecond, "60000000"), "READY=1");
  EXPECT_EQ(ready_text(10 * kSecond, "20000000"), "READY=1\nWATCHDOG_USEC=30000000");
  EXPECT_EQ(ready_text(10 * kSecond, "soon"), "READY=1");
}

}  // namespace
}  // namespace tacho::cli
