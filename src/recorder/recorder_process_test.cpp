// Recorders as processes of their own, and what may befall them: killed, told to end, their folder
// removed, the disk full, no rights. All record this machine for real.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "base/text.h"
#include "recorder/control.h"
#include "recorder/loop.h"
#include "recording/reader.h"
#include "schema/process.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

volatile sig_atomic_t told_to_end = 0;

class RecorderProcess : public ::testing::Test {
 protected:
  RecorderProcess() {
    std::string pattern = (fs::temp_directory_path() / "tacho-recorder-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    options_.folder = root_ + "/recording";
    options_.writer.interval_ns = 2 * kMillisecond;
    options_.writer.retention.min_free_bytes = 0;
    options_.protect = false;
  }
  ~RecorderProcess() override {
    if (child_ > 0) end(SIGKILL);
    fs::remove_all(root_);
  }

  /// Begins a recorder, after `prepare` in its process, and returns when its first sample is safe.
  /// Its exit code is 0 where run() ended well; what it says goes into the file said().
  void begin(const std::function<void()>& prepare = [] {}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    child_ = fork();
    if (child_ == 0) _exit(record(ends[1], prepare));
    close(ends[1]);
    char began = 0;
    ASSERT_EQ(read(ends[0], &began, 1), 1) << "it ended before its first sample";
    close(ends[0]);
  }
  int record(int began, const std::function<void()>& prepare) const {
    prepare();
    struct sigaction action {};
    action.sa_handler = [](int) { told_to_end = 1; };
    sigaction(SIGTERM, &action, nullptr);
    auto loop = RecorderLoop::open(Machine::live(), options_);
    if (!loop) return 2;
    RecorderLoop::Hooks hooks;
    hooks.stop = [] { return told_to_end != 0; };
    hooks.on_first = [&] { (void)!write(began, "!", 1); };
    hooks.say = [&](const std::string& line) {
      std::ofstream(root_ + "/said", std::ios::app) << line << "\n";
    };
    return (*loop)->run(hooks) ? 0 : 1;
  }
  int end(int signal) {
    kill(child_, signal);
    return ended();
  }
  int ended() {
    int status = 0;
    waitpid(std::exchange(child_, -1), &status, 0);
    return status;
  }
  std::string said() const { return read_file(root_ + "/said").value_or(""); }
  json status() const {
    auto answer = ask_recorder(options_.folder, R"({"command":"status"})");
    return answer ? json::parse(*answer) : json{{"ok", false}, {"error", answer.error().what}};
  }
  /// Waits until the recorder has acknowledged `more` samples.
  json status_after(uint64_t more) const {
    json first = status();
    for (json now = first;; now = status()) {
      if (now["ok"] != true || now["samples"] >= first["samples"].get<uint64_t>() + more)
        return now;
      usleep(1000);
    }
  }
  /// The numbers of all samples that can be read.
  std::vector<uint64_t> numbers() const {
    std::vector<uint64_t> all;
    auto cursor = open_recording(options_.folder, {TableId::system});
    if (!cursor) return all;
    for (auto s = (*cursor)->first(); s && *s; s = (*cursor)->next())
      all.push_back((*s)->number);
    EXPECT_TRUE((*cursor)->gaps().empty()) << (*cursor)->gaps()[0].why;
    return all;
  }

  std::string root_;
  RecorderOptions options_;
  pid_t child_ = -1;
};

TEST_F(RecorderProcess, NoSampleThatStatusHadAcknowledgedIsLostToKill9) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    begin();
    json s = status();
    ASSERT_TRUE(s["ok"]) << s;
    if (round % 3 == 0) s = status_after(random() % 4);
    usleep(static_cast<useconds_t>(random() % 5000));
    ASSERT_TRUE(WIFSIGNALED(end(SIGKILL)));
    auto found = numbers();
    ASSERT_FALSE(found.empty());
    ASSERT_GE(found.back(), s["last_number"].get<uint64_t>()) << "round " << round;
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], i + 1) << "round " << round;
  }
}

TEST_F(RecorderProcess, SigtermTakesALastSampleAndLeavesNoTail) {
  options_.writer.interval_ns = 3600 * kSecond;
  begin();
  EXPECT_EQ(status()["samples"], 1);
  EXPECT_EQ(end(SIGTERM), 0);
  EXPECT_FALSE(numbers().empty());
  for (const auto& entry : fs::directory_iterator(options_.folder))
    EXPECT_FALSE(entry.path().filename().string().starts_with("tail-")) << entry.path();
  EXPECT_FALSE(fs::exists(options_.folder + "/control"));
}

TEST_F(RecorderProcess, StopReturnsWhenTheProcessHasEnded) {
  begin();
  status_after(3);
  auto answer = stop_recorder(options_.folder, 60 * kSecond);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(json::parse(*answer)["pid"], child_);
  int status = -1;
  EXPECT_EQ(waitpid(child_, &status, WNOHANG), child_) << "it runs still";
  EXPECT_EQ(status, 0);
  child_ = -1;
  EXPECT_EQ(stop_recorder(options_.folder, kSecond).error().code, Errc::not_found);
}

TEST_F(RecorderProcess, StopDoesNotWaitWhereItIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become nobody";
  begin();
  status_after(1);
  for (const std::string& path : {root_, options_.folder})
    chmod(path.c_str(), 0755);
  chmod((options_.folder + "/control").c_str(), 0666);
  pid_t stranger = fork();
  if (stranger == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(3);
    auto answer = stop_recorder(options_.folder, 60 * kSecond);
    _exit(answer && json::parse(*answer)["ok"] == false ? 0 : 1);
  }
  int code = -1;
  ASSERT_EQ(waitpid(stranger, &code, 0), stranger);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(status()["ok"], true) << "it was stopped";
}

TEST_F(RecorderProcess, StopDoesNotWaitForEver) {
  begin();
  kill(child_, SIGSTOP);
  auto answer = stop_recorder(options_.folder, kMillisecond);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::timed_out);
  kill(child_, SIGCONT);
}

TEST_F(RecorderProcess, ASecondRecorderIsRefusedAndTheFirstGoesOn) {
  begin();
  auto second = RecorderLoop::open(Machine::live(), options_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, fmt::format("{}: another recorder (process {}) is recording there",
                                             options_.folder, child_));
  EXPECT_TRUE(status_after(2)["ok"]) << "its socket is still its own";
}

TEST_F(RecorderProcess, AFolderThatVanishesIsMadeAnewAndAnswersThere) {
  begin();
  status_after(3);
  // The recorder may write between the listing and the removing.
  while (fs::exists(options_.folder + "/lock")) {
    std::error_code again;
    fs::remove_all(options_.folder, again);
    if (!again) break;
  }
  json now = status();
  for (; now["ok"] != true; now = status())
    usleep(1000);
  EXPECT_EQ(now["pid"], child_);
  now = status_after(3);
  EXPECT_EQ(end(SIGTERM), 0);
  EXPECT_GE(numbers().back(), now["last_number"].get<uint64_t>());
  EXPECT_NE(said().find("vanished"), std::string::npos) << said();
}

TEST_F(RecorderProcess, AFolderThatCannotBeMadeAnewIsAwaited) {
  begin();
  std::string away = root_ + "/away";
  status_after(2);
  // Where the folder was there is a file, from one moment to the next: nothing can be made.
  std::ofstream(away) << "in the way";
  ASSERT_EQ(renameat2(AT_FDCWD, away.c_str(), AT_FDCWD, options_.folder.c_str(), RENAME_EXCHANGE),
            0);
  while (said().find("samples are lost") == std::string::npos)
    usleep(1000);
  usleep(20'000);
  EXPECT_EQ(said().find("samples are lost"), said().rfind("samples are lost")) << "said once";
  fs::remove(options_.folder);
  while (status()["ok"] != true)
    usleep(1000);
  json now = status_after(2);
  EXPECT_GT(now["write_errors"], 0);
  EXPECT_EQ(end(SIGTERM), 0);
  EXPECT_NE(said().find("recording goes on"), std::string::npos) << said();
  EXPECT_FALSE(numbers().empty());
}

TEST_F(RecorderProcess, WithoutRightsItRecordsAndSaysWhatIsMissing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become nobody";
  chmod(root_.c_str(), 0777);
  begin([] {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(3);
  });
  json now = status_after(3);
  ASSERT_TRUE(now["ok"]);
  EXPECT_EQ(end(SIGTERM), 0);
  auto cursor = *open_recording(options_.folder, {TableId::process, TableId::system});
  auto sample = *cursor->last();
  EXPECT_GT(sample->rows(TableId::system)->size(), 0U);
  const Rows& processes = *sample->rows(TableId::process);
  bool seen = false;
  for (size_t row = 0; row < processes.size(); ++row) {
    if (processes.at(row, schema::process["pid"]).bits != 1) continue;
    seen = true;
    EXPECT_EQ(processes.at(row, schema::process["read_bytes"]).absent, Absent::no_permission);
    EXPECT_TRUE(processes.at(row, schema::process["user_time"]));
  }
  EXPECT_TRUE(seen || processes.empty()) << "/proc is mounted with hidepid";
}

/// Runs the rest of the test in a mount name space of its own, in which `folder` is a file system
/// of 400 KB, which some thousand samples fill; false where that is not permitted.
bool mount_small(const std::string& folder) {
  int spaces = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
  fs::create_directories(folder);
  return unshare(spaces) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tacho", folder.c_str(), "tmpfs", 0, "size=400k") == 0;
}

TEST_F(RecorderProcess, OnAFullDiskTheNewestIsKept) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  pid_t tester = fork();
  if (tester == 0) {
    if (!mount_small(options_.folder)) _exit(77);
    options_.writer.interval_ns = kMillisecond / 10;
    uint64_t taken = 0;
    RecorderLoop::Hooks hooks;
    hooks.stop = [&] { return taken >= 4000; };
    hooks.on_sample = [&] { ++taken; };
    std::string all;
    hooks.say = [&](const std::string& line) { all += line + "\n"; };
    auto loop = RecorderLoop::open(Machine::live(), options_);
    if (!loop || !(*loop)->run(hooks)) _exit(2);
    json s = json::parse((*loop)->answer(R"({"command":"status"})", false));
    auto found = numbers();
    json result{{"last", s["last_number"]},
                {"taken", taken},
                {"errors", s["write_errors"]},
                {"first", found.empty() ? 0 : found.front()},
                {"newest", found.empty() ? 0 : found.back()},
                {"kept", found.size()},
                {"said", all}};
    std::string text = result.dump(-1, ' ', false, json::error_handler_t::replace);
    (void)!write(ends[1], text.data(), std::min<size_t>(text.size(), 60'000));
    _exit(HasFailure() ? 1 : 0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = read(ends[0], bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<size_t>(got));
  close(ends[0]);
  int code = 0;
  waitpid(tester, &code, 0);
  if (WIFEXITED(code) && WEXITSTATUS(code) == 77) GTEST_SKIP() << "may not mount a file system";
  ASSERT_EQ(code, 0);
  json result = json::parse(text, nullptr, false);
  ASSERT_TRUE(result.is_object()) << text;
  EXPECT_GT(result["first"], 1) << "the disk was not full: " << text;
  EXPECT_EQ(result["newest"], result["last"]) << text;
  EXPECT_GE(result["kept"], 100) << text;
  EXPECT_EQ(result["errors"], 0) << text;
  EXPECT_NE(result["said"].get<std::string>().find("the file system is full"), std::string::npos);
}

}  // namespace
}  // namespace tacho
