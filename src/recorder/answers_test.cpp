// What the control socket answers, without the socket.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "collect/tree.h"
#include "recorder/loop.h"
#include "recording/reader.h"
#include "schema/recorder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Answers : public ::testing::Test {
 protected:
  Answers() {
    std::string pattern = (fs::temp_directory_path() / "tacho-answers-XXXXXX").string();
    options_.folder = mkdtemp(pattern.data());
    options_.writer.interval_ns = kMillisecond;
    options_.writer.retention.min_free_bytes = 0;
    options_.protect = false;
    loop_ = std::move(*RecorderLoop::open(Machine::live(), options_));
  }
  ~Answers() override {
    loop_.reset();
    fs::remove_all(options_.folder);
  }
  json ask(const json& request, bool writer = true) {
    return json::parse(loop_->answer(request.dump(), writer));
  }
  std::string refusal(const json& request) { return ask(request).value("error", "it did it"); }
  /// Records until `samples` are written.
  void record(uint64_t samples) {
    uint64_t seen = 0;
    RecorderLoop::Hooks hooks;
    hooks.stop = [&] { return seen >= samples; };
    hooks.on_sample = [&] { ++seen; };
    ASSERT_TRUE(loop_->run(hooks));
  }

  RecorderOptions options_;
  std::unique_ptr<RecorderLoop> loop_;
};

TEST_F(Answers, StatusTellsWhatWasWrittenAndWhatItCost) {
  record(5);
  json s = ask({{"command", "status"}}, false);
  EXPECT_TRUE(s["ok"]);
  EXPECT_EQ(s["pid"], getpid());
  EXPECT_EQ(s["folder"], options_.folder);
  EXPECT_EQ(s["interval_s"], 0.001);
  EXPECT_GE(s["samples"], 5);
  EXPECT_EQ(s["last_number"], s["samples"]);
  EXPECT_GT(s["bytes_written"], 0);
  EXPECT_GT(s["cpu_ms_per_sample"], 0);
  EXPECT_GT(s["resident_kib"], 1000);
  EXPECT_EQ(s["write_errors"], 0);
  EXPECT_EQ(s["watched"], (json{{"pids", json::array()}, {"cgroups", json::array()}}));
  EXPECT_EQ(describe_recording(options_.folder)->samples, s["samples"]);
}

TEST_F(Answers, StatusIsAnsweredBeforeTheFirstSample) {
  json s = ask({{"command", "status"}});
  EXPECT_EQ(s["samples"], 0);
  EXPECT_EQ(s["last_number"], 0);
  EXPECT_TRUE(s["cpu_ms_per_sample"].is_null());
}

TEST_F(Answers, OnlyTheOwnerMayChangeAnything) {
  for (const char* command : {"stop", "mark", "watch", "unwatch", "steps"}) {
    json answer = ask({{"command", command}, {"text", "x"}, {"pid", 1}}, false);
    EXPECT_FALSE(answer["ok"]) << command;
    EXPECT_EQ(answer["error"], "only the recorder's own user and root may do that");
  }
}

TEST_F(Answers, AMarkBecomesAnEvent) {
  EXPECT_TRUE(ask({{"command", "mark"}, {"text", "new batch size"}})["ok"]);
  EXPECT_EQ(refusal({{"command", "mark"}}), "a mark has 1 to 1000 bytes of text");
  EXPECT_EQ(refusal({{"command", "mark"}, {"text", std::string(1001, 'x')}}),
            "a mark has 1 to 1000 bytes of text");
  record(1);
  auto cursor = *open_recording(options_.folder, {TableId::event});
  const Rows& events = *(*cursor->first())->rows(TableId::event);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events.text(0, schema::event["kind"]), "mark");
  EXPECT_EQ(events.text(0, schema::event["detail"]), "new batch size");
}

TEST_F(Answers, TreesAreWatchedUpToABound) {
  EXPECT_TRUE(ask({{"command", "watch"}, {"pid", 42}})["ok"]);
  EXPECT_TRUE(ask({{"command", "watch"}, {"cgroup", "/job"}})["ok"]);
  EXPECT_EQ(ask({{"command", "status"}})["watched"], (json{{"pids", {42}}, {"cgroups", {"/job"}}}));
  EXPECT_EQ(refusal({{"command", "watch"}}), "watch needs a pid or a cgroup");
  EXPECT_EQ(refusal({{"command", "watch"}, {"pid", -1}}), "watch needs a pid or a cgroup");
  for (uint64_t pid = 100; pid < 1098; ++pid)
    EXPECT_TRUE(ask({{"command", "watch"}, {"pid", pid}})["ok"]);
  EXPECT_EQ(refusal({{"command", "watch"}, {"pid", 7}}),
            "1000 trees are watched already; unwatch first");
  EXPECT_TRUE(ask({{"command", "unwatch"}})["ok"]);
  EXPECT_EQ(ask({{"command", "status"}})["watched"]["pids"], json::array());
}

TEST_F(Answers, StepsAreRecordedUntilTheProgramHasEnded) {
  EXPECT_TRUE(ask({{"command", "steps"}, {"name", "epoch"}, {"steps", 3}, {"total", 10}})["ok"]);
  EXPECT_TRUE(ask({{"command", "steps"}, {"name", "batch"}, {"steps", 70}})["ok"]);
  EXPECT_TRUE(ask({{"command", "steps"}, {"name", "epoch"}, {"steps", 4}, {"total", 10}})["ok"]);
  EXPECT_FALSE(ask({{"command", "steps"}, {"name", "epoch"}})["ok"]);
  EXPECT_FALSE(ask({{"command", "steps"}, {"steps", 1}})["ok"]);
  record(1);
  auto cursor = *open_recording(options_.folder, {TableId::progress});
  auto rows = (*cursor->last())->rows_ptr(TableId::progress);
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->text(0, schema::progress["name"]), "epoch");
  EXPECT_EQ(rows->at(0, schema::progress["steps"]).bits, 4U);
  EXPECT_EQ(rows->at(0, schema::progress["total"]).bits, 10U);
  EXPECT_EQ(rows->at(1, schema::progress["steps"]).bits, 70U);
  EXPECT_EQ(rows->at(1, schema::progress["total"]).absent, Absent::not_applicable);
}

TEST(Progress, IsBoundedAndForgetsWhatHasEnded) {
  Progress progress;
  for (size_t i = 0; i < Progress::kMostNames; ++i)
    EXPECT_TRUE(progress.report(std::to_string(i), i, std::nullopt));
  EXPECT_FALSE(progress.report("one more", 1, std::nullopt));
  EXPECT_TRUE(progress.report("7", 8, std::nullopt)) << "one that is known may go on";
  progress.finish("7");
  EXPECT_TRUE(progress.report("one more", 1, std::nullopt));
  EXPECT_FALSE(progress.report("", 1, std::nullopt));
  EXPECT_FALSE(progress.report(std::string(201, 'x'), 1, std::nullopt));
}

TEST_F(Answers, NonsenseIsRefusedInOneLine) {
  std::vector<std::string> requests{"",
                                    "{",
                                    "null",
                                    "[]",
                                    "42",
                                    "\"status\"",
                                    "{}",
                                    "\xff\xfe",
                                    R"({"command":7})",
                                    R"({"command":["stop"]})",
                                    R"({"command":"format c:\n"})",
                                    std::string(60'000, '['),
                                    R"({"command":"watch","pid":1e99})",
                                    R"({"command":"steps","name":"x","steps":-1})",
                                    R"({"command":"steps","name":"x","done":"yes"})"};
  std::mt19937 random(2);
  std::string valid = R"({"command":"steps","name":"epoch","steps":3,"total":10})";
  for (int i = 0; i < 5000; ++i) {
    std::string broken = valid;
    for (uint32_t n = 1 + random() % 4; n > 0; --n)
      broken[random() % broken.size()] = static_cast<char>(random());
    if (random() % 3 == 0) broken.resize(random() % broken.size());
    requests.push_back(broken);
  }
  for (const std::string& request : requests) {
    std::string answer = loop_->answer(request, true);
    EXPECT_EQ(answer.find('\n'), std::string::npos);
    json parsed = json::parse(answer, nullptr, false);
    ASSERT_TRUE(parsed.is_object()) << request;
    EXPECT_TRUE(parsed["ok"] == true || !parsed["error"].get<std::string>().empty());
  }
  for (size_t i = 0; i < 15; ++i)
    EXPECT_EQ(json::parse(loop_->answer(requests[i], true))["ok"], false) << requests[i];
}

}  // namespace
}  // namespace tacho
