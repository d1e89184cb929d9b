#include "recorder/control.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "base/clock.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kAMinute = 60 * kSecond;

class Control : public ::testing::Test {
 protected:
  Control() {
    std::string pattern = (fs::temp_directory_path() / "tacho-control-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Control() override { fs::remove_all(folder_); }

  /// A server that answers with the request and the peer's rights, and ends after "end".
  std::unique_ptr<ControlServer> server() {
    auto made =
        ControlServer::open(folder_, false, [this](const std::string& request, bool writer) {
          if (request == "end") ended_ = true;
          return (writer ? "writer: " : "reader: ") + request;
        });
    EXPECT_TRUE(made) << (made ? "" : made.error().what);
    return made ? std::move(*made) : nullptr;
  }
  void serve(ControlServer& server) {
    server.serve_until(monotonic_ns() + kAMinute, [this] { return ended_.load(); });
  }
  Fd connected() const {
    Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::string path = folder_ + "/control";
    std::memcpy(address.sun_path, path.data(), path.size());
    if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return Fd();
    return fd;
  }

  std::string folder_;
  std::atomic<bool> ended_ = false;
};

size_t open_descriptors() {
  auto all = fs::directory_iterator("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST_F(Control, OneLineAsksOneLineAnswers) {
  auto control = server();
  std::string first;
  std::thread client([&] {
    first = ask_recorder(folder_, "status").value_or("none");
    (void)ask_recorder(folder_, "end");
  });
  serve(*control);
  client.join();
  EXPECT_EQ(first, "writer: status");
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/control").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(Control, IsGoneWithTheRecorder) {
  server().reset();
  EXPECT_FALSE(fs::exists(folder_ + "/control"));
  auto answer = ask_recorder(folder_, "status");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::not_found);
  EXPECT_NE(answer.error().what.find("no recorder runs in " + folder_), std::string::npos);
  EXPECT_EQ(ask_recorder(folder_ + "/nowhere", "status").error().code, Errc::not_found);
}

TEST_F(Control, TheSocketOfAKilledRecorderIsReplaced) {
  pid_t child = fork();
  if (child == 0) {
    auto control = server();
    _exit(control ? 0 : 1);  // without destructors: as if killed
  }
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(fs::exists(folder_ + "/control"));
  EXPECT_EQ(ask_recorder(folder_, "status").error().code, Errc::not_found);
  auto control = server();
  std::thread client([&] { (void)ask_recorder(folder_, "end"); });
  serve(*control);
  client.join();
  EXPECT_TRUE(ended_);
}

TEST_F(Control, ServesAFolderWhosePathIsLongerThanASocketAddress) {
  std::string root = folder_;
  folder_ += "/" + std::string(100, 'a') + "/" + std::string(100, 'b');
  fs::create_directories(folder_);
  auto control = server();
  std::thread client([&] { (void)ask_recorder(folder_, "end"); });
  serve(*control);
  client.join();
  EXPECT_TRUE(ended_);
  control.reset();
  folder_ = root;
}

TEST_F(Control, KnowsWhenItsFolderIsGone) {
  auto control = server();
  EXPECT_TRUE(control->reachable());
  fs::remove_all(folder_);
  EXPECT_FALSE(control->reachable());
  fs::create_directories(folder_);
  auto other = server();
  EXPECT_FALSE(control->reachable()) << "that is another recorder's";
  control.reset();
  EXPECT_TRUE(other->reachable()) << "and is left to it";
}

TEST_F(Control, AnotherUserMayOnlyRead) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  auto control = server();
  chmod(folder_.c_str(), 0755);
  chmod((folder_ + "/control").c_str(), 0666);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
    std::string answer = ask_recorder(folder_, "mark").value_or("none");
    (void)!write(ends[1], answer.data(), answer.size());
    (void)ask_recorder(folder_, "end");
    _exit(0);
  }
  serve(*control);
  waitpid(child, nullptr, 0);
  std::array<char, 64> bytes{};
  ssize_t got = read(ends[0], bytes.data(), bytes.size());
  EXPECT_EQ(std::string_view(bytes.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))),
            "reader: mark");
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Control, ClientsThatTalkNonsenseOrNothingHoldNobodyUp) {
  auto control = server();
  size_t before = open_descriptors();
  std::mt19937 random(1);
  std::vector<Fd> silent;  // connect, and say nothing or half a line
  std::string answer;
  std::thread clients([&] {
    for (int i = 0; i < 500; ++i) {
      Fd fd = connected();
      if (!fd) continue;
      std::string bytes(random() % 6000, '\0');
      for (char& c : bytes)
        c = static_cast<char>(random());
      if (i % 50 == 0) bytes.assign(200'000, 'x');  // more than a request may have
      (void)!send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (i % 100 == 0) silent.push_back(std::move(fd));
    }
    // Sixteen clients at most are kept: an honest one may have to come again.
    for (int i = 0; i < 1000 && answer.empty(); ++i)
      answer = ask_recorder(folder_, "status").value_or("");
    while (!ended_)
      (void)ask_recorder(folder_, "end");
  });
  serve(*control);
  clients.join();
  EXPECT_EQ(answer, "writer: status");
  EXPECT_LE(open_descriptors(), before + silent.size() + 16);
  silent.clear();
  control.reset();
  EXPECT_EQ(open_descriptors(), before - 1);
}

TEST_F(Control, WhoeverAsksWithoutEndDoesNotHoldUpASample) {
  auto control = server();
  std::atomic<bool> over = false;
  std::thread client([&] {
    while (!over)
      (void)ask_recorder(folder_, "status");
  });
  control->serve_until(monotonic_ns() + 50 * kMillisecond, [] { return false; });
  // It came back although there was always somebody to serve.
  over = true;
  control->serve_until(monotonic_ns() + kSecond, [] { return false; });
  client.join();
}

TEST_F(Control, WhereSamplesAreAlwaysLateItIsServedAllTheSame) {
  auto control = server();
  std::thread client([&] { (void)ask_recorder(folder_, "end"); });
  while (!ended_)
    control->serve_until(monotonic_ns() - kSecond, [] { return false; });
  client.join();
}

TEST_F(Control, ASignalThatWasBlockedEndsTheWaitAndIsNotOverslept) {
  static volatile sig_atomic_t came = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { came = 1; };
  sigaction(SIGUSR1, &action, nullptr);
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto control = server();
  raise(SIGUSR1);  // pending, before the waiting begins
  control->serve_until(monotonic_ns() + kAMinute * 60, [] { return came != 0; });
  EXPECT_EQ(came, 1);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGUSR1, SIG_DFL);
}

}  // namespace
}  // namespace tacho
