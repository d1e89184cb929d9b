#include "cli/config.h"

#include <gtest/gtest.h>

#include <fstream>

namespace tacho::cli {
namespace {

class ConfigFile : public ::testing::Test {
 protected:
  std::string write(const std::string& text) const {
    std::ofstream(path_) << text;
    return path_;
  }
  /// What is wrong, without the file's name.
  std::string fault(const std::string& text) const {
    auto config = load_config({write(text)});
    if (config) return "nothing";
    return config.error().what.substr(std::min(path_.size(), config.error().what.size()));
  }
  void TearDown() override { std::remove(path_.c_str()); }

  std::string path_ = ::testing::TempDir() + "tacho_config_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
};

TEST_F(ConfigFile, SetsWhatItNames) {
  auto config = load_config({write(R"(
[record]
interval = "2s"
retain = "30d"
free = "1GiB"
[thresholds]
"cpu.busy" = 70
disk.await = 0.02
)")});
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(config->interval_ns, 2 * kSecond);
  EXPECT_EQ(config->retention.max_age_ns, 30 * 86400 * kSecond);
  EXPECT_EQ(config->retention.max_bytes, 1ULL << 30) << "not named, so it stays";
  EXPECT_EQ(config->retention.min_free_bytes, 1ULL << 30);
  EXPECT_EQ(config->thresholds.cpu_busy, 70);
  EXPECT_EQ(config->thresholds.disk_await, 0.02);
  EXPECT_EQ(config->thresholds.gpu_util, 90);
  EXPECT_EQ(config->files, std::vector<std::string>{path_});
}

TEST_F(ConfigFile, ALaterFileGoesBeforeAnEarlierOne) {
  write("[record]\ninterval = \"2s\"\nretain = \"5d\"\n");
  std::string second = path_ + ".second";
  std::ofstream(second) << "[record]\ninterval = \"3s\"\n";
  auto config = load_config({path_, "/nonexistent/tacho.toml", second});
  std::remove(second.c_str());
  ASSERT_TRUE(config);
  EXPECT_EQ(config->interval_ns, 3 * kSecond);
  EXPECT_EQ(config->retention.max_age_ns, 5 * 86400 * kSecond);
}

TEST_F(ConfigFile, SaysWhereItIsWrong) {
  EXPECT_EQ(fault("[record]\n\ninterval = \"2 weeks\"\n"),
            ":3: record.interval = 2 weeks: no time; write 10s or 500ms");
  EXPECT_EQ(fault("[record]\ninterval = 2\n"), ":2: record.interval must be a text in quotes");
  EXPECT_EQ(fault("[record]\ninterval = \"10ms\"\n"),
            ":2: record.interval = 10ms: from 100ms to 1h");
  EXPECT_EQ(fault("[record]\nretain = \"1GiB,soon\"\n"),
            ":2: record.retain = 1GiB,soon: 'soon' is neither a size (1GiB) nor an age (30d)");
  EXPECT_EQ(fault("[record]\nintervall = \"1s\"\n"), ":2: record.intervall is no key");
  EXPECT_EQ(fault("[thresholds]\ncpu.bussy = 3\n"), ":2: there is no threshold 'cpu.bussy'");
  EXPECT_EQ(fault("[thresholds]\ncpu.busy = \"much\"\n"), ":2: cpu.busy must be a number");
  EXPECT_EQ(fault("[other]\n"), ":1: unknown key 'other'");
  EXPECT_EQ(fault("record = 1\n"), ":1: unknown key 'record'");
  EXPECT_EQ(fault("[record\n").substr(0, 3), ":1:");
}

TEST_F(ConfigFile, TheExampleHoldsEveryDefault) {
  std::string example = example_config();
  auto as_it_is = load_config({write(example)});
  ASSERT_TRUE(as_it_is) << as_it_is.error().what;
  // With the key lines no longer commented out it says the same.
  std::string active;
  for (size_t at = 0; at < example.size();) {
    size_t end = example.find('\n', at);
    std::string line = example.substr(at, end - at);
    bool is_key = line.starts_with('#') && !line.starts_with("# ");
    active += (is_key ? line.substr(1) : line) + "\n";
    at = end + 1;
  }
  auto config = load_config({write(active)});
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(config->interval_ns, Config{}.interval_ns);
  EXPECT_EQ(config->retention.max_bytes, Retention{}.max_bytes);
  EXPECT_EQ(config->retention.min_free_bytes, Retention{}.min_free_bytes);
  for (const ThresholdName& threshold : threshold_names()) {
    EXPECT_EQ(config->thresholds.*(threshold.value), Thresholds{}.*(threshold.value))
        << threshold.name;
    EXPECT_NE(active.find("\n\"" + std::string(threshold.name) + "\" = "), std::string::npos)
        << threshold.name;
  }
}

}  // namespace
}  // namespace tacho::cli
