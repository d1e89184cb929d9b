// What `tacho why` prints of diagnoses made by hand: as text (tests/golden, made anew with
// TACHO_UPDATE_GOLDEN=1 in the environment) and as JSON.
#include "render/diagnosis.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>

#include "base/clock.h"
#include "base/file.h"
#include "render/width.h"

namespace tacho {
namespace {

constexpr int64_t kFrom = 1'796'119'200 * kSecond;  // 2026-12-01T10:00:00 UTC

Check measured(std::string_view id, double value, std::string_view unit, double threshold,
               std::string_view op, Level level, std::string subject = "") {
  return {id, value, unit, threshold, op, level, std::move(subject)};
}
Check unknown(std::string_view id, Absent reason, double threshold, std::string_view op) {
  return {id, reason, "%", threshold, op, Level::unknown, ""};
}

std::vector<Step> steps(double busy, Level level) {
  return {
      {"gpu", {unknown("gpu.util", Absent::not_recorded, 90, "<")}},
      {"cpu",
       {measured("cpu.busy", busy, "%", 85, ">", level),
        unknown("cpu.pressure", Absent::not_supported, 20, ">")}},
      {"disk", {measured("disk.await", 2.6, "ms", 10, ">", Level::ok, "nvme0n1")}},
      {"memory", {measured("memory.swap", 0, "pages/s", 0, ">", Level::ok)}},
      {"network", {measured("net.recv_queue", 0, "bytes", 65536, ">", Level::ok)}},
  };
}

Diagnosis of_a_hog() {
  Diagnosis d;
  d.from_ns = kFrom;
  d.to_ns = kFrom + 15 * kSecond;
  d.samples = 16;
  d.interval_s = 1;
  d.steps = steps(99.7, Level::critical);
  Finding hog;
  hog.cause = "cpu.hog";
  hog.severity = Severity::critical;
  hog.score = 0.8;
  hog.from_ns = d.from_ns;
  hog.to_ns = d.to_ns;
  hog.title = {"{} of user {} takes the CPU from {}", {"burn", "bob", "the watched program"}};
  hog.since_ns = kFrom + 4 * kSecond;
  hog.culprit = Culprit{"process", 4242, "burn", "bob"};
  hog.evidence = {
      {"the watched program waited for a CPU {} % of the time it could have run", {"48"}},
      {"some task waited for a CPU {} % of the time (PSI)", {"99"}}};
  hog.advice = {{"stop it or move it: kill {} (pid {}), or taskset and nice it", {"burn", "4242"}}};
  d.cause = hog.cause;
  d.confidence = "high";
  d.title = hog.title;
  d.since_ns = hog.since_ns;
  d.culprit = hog.culprit;
  d.findings = {hog};
  d.ruled_out = {{"memory.oom", "the kernel killed nothing for want of memory"},
                 {"disk.small_files", "no disk serves very many small reads that tasks wait for"}};
  d.unmeasured = {{"gpu.util", Absent::not_recorded}, {"cpu.pressure", Absent::not_supported}};
  return d;
}

Diagnosis of_a_healthy_machine() {
  Diagnosis d;
  d.from_ns = kFrom;
  d.to_ns = kFrom + 300 * kSecond;
  d.samples = 31;
  d.interval_s = 10;
  d.steps = steps(2.25, Level::ok);
  d.cause = "healthy.idle";
  d.confidence = "high";
  d.title = "nothing trains here and nothing waits";
  return d;
}

/// Names from outside that would play with the terminal, and a sentence longer than a line.
Diagnosis of_a_quota() {
  Diagnosis d = of_a_hog();
  Finding& f = d.findings[0];
  f.cause = "cpu.quota";
  f.severity = Severity::warning;
  f.title = {"the CPU quota of control group {} stops its processes",
             {"/kubepods.slice/pod1.scope/\x1b[31mred"}};
  f.culprit = Culprit{"cgroup", 0, "/kubepods.slice/pod1.scope/\x1b[31mred", ""};
  f.since_ns.reset();
  f.evidence = {{"stopped in {} % of its periods", {"62"}},
                {"it may use {} CPUs of {}", {"0.30", "480"}}};
  f.advice = {
      "raise the limit (docker --cpus, the pod's CPU limit, CPUQuota=) or start fewer threads"};
  d.cause = f.cause;
  d.confidence = "medium";
  d.title = f.title;
  d.since_ns.reset();
  d.culprit = f.culprit;
  return d;
}

class Rendered : public ::testing::Test {
 protected:
  Rendered() {
    const char* zone = getenv("TZ");
    zone_ = zone == nullptr ? "" : zone;
    setenv("TZ", "UTC", 1);
    tzset();
  }
  ~Rendered() override {
    zone_.empty() ? unsetenv("TZ") : setenv("TZ", zone_.c_str(), 1);
    tzset();
  }

  static void expect_golden(const std::string& name, const Diagnosis& diagnosis) {
    std::string path = TACHO_SOURCE_DIR "/tests/golden/" + name;
    std::string text = to_text(diagnosis, 80, Palette(false));
    if (getenv("TACHO_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    EXPECT_EQ(text, read_file(path).value_or("")) << path;
    for (size_t begin = 0; begin < text.size();) {
      size_t end = text.find('\n', begin);
      ASSERT_NE(end, std::string::npos) << "the last line has no end";
      EXPECT_LE(display_width(text.substr(begin, end - begin)), 80U);
      begin = end + 1;
    }
  }

 private:
  std::string zone_;
};

std::set<std::string> keys(const Json& object) {
  std::set<std::string> names;
  for (const auto& [key, value] : object.items())
    names.insert(key);
  return names;
}
/// That all of `names` are keys: more may be added, nothing renamed.
void expect_keys(const Json& object, const std::set<std::string>& names) {
  std::set<std::string> there = keys(object);
  for (const std::string& name : names)
    EXPECT_TRUE(there.contains(name)) << name << " is not in " << object.dump();
}

TEST_F(Rendered, AHogWithItsEvidence) {
  expect_golden("why-hog.txt", of_a_hog());
}
TEST_F(Rendered, AHealthyMachine) {
  expect_golden("why-healthy.txt", of_a_healthy_machine());
}
TEST_F(Rendered, NamesFromOutsideCannotPlayWithTheTerminal) {
  expect_golden("why-quota.txt", of_a_quota());
}

TEST_F(Rendered, OnATerminalItIsColouredAndSaysTheSame) {
  std::string coloured = to_text(of_a_hog(), 80, Palette(true));
  EXPECT_NE(coloured.find("\x1b["), std::string::npos);
  std::string plain;
  for (size_t at = 0; at < coloured.size(); ++at) {
    if (coloured[at] == '\x1b') {
      at = coloured.find('m', at);
      continue;
    }
    plain += coloured[at];
  }
  EXPECT_EQ(plain, to_text(of_a_hog(), 80, Palette(false)));
}

TEST_F(Rendered, JsonHasTheKeysOfTheContract) {
  Json json = to_json(of_a_hog(), "node7");
  expect_keys(json, {"schema", "host", "from", "to", "samples", "interval_s", "verdict", "steps",
                     "findings", "ruled_out", "unmeasured"});
  EXPECT_EQ(json["schema"], "tacho.why/1");
  EXPECT_EQ(json["host"], "node7");
  EXPECT_EQ(json["from"], "2026-12-01T10:00:00+00:00");
  EXPECT_EQ(json["to"], "2026-12-01T10:00:15+00:00");
  EXPECT_EQ(json["samples"], 16);
  EXPECT_EQ(json["interval_s"], 1);
  const Json& verdict = json["verdict"];
  expect_keys(verdict, {"cause", "confidence", "title", "since", "gpu_idle_share", "culprit"});
  EXPECT_EQ(verdict["cause"], "cpu.hog");
  EXPECT_EQ(verdict["since"], "2026-12-01T10:00:04+00:00");
  EXPECT_TRUE(verdict["gpu_idle_share"].is_null());
  EXPECT_EQ(verdict["culprit"],
            (Json{{"kind", "process"}, {"pid", 4242}, {"name", "burn"}, {"user", "bob"}}));
  ASSERT_EQ(json["findings"].size(), 1U);
  const Json& finding = json["findings"][0];
  expect_keys(finding, {"cause", "severity", "score", "from", "to", "evidence", "advice"});
  EXPECT_EQ(finding["severity"], "critical");
  EXPECT_EQ(finding["evidence"][0],
            "the watched program waited for a CPU 48 % of the time it could have run");
  EXPECT_EQ(finding["advice"][0],
            "stop it or move it: kill burn (pid 4242), or taskset and nice it");
  expect_keys(json["ruled_out"][0], {"cause", "because"});
  EXPECT_EQ(json["unmeasured"][1], (Json{{"what", "cpu.pressure"}, {"because", "not_supported"}}));
}

TEST_F(Rendered, JsonOfAStepHasEachCheckAlsoTheUnmeasured) {
  Json json = to_json(of_a_hog(), "node7");
  ASSERT_EQ(json["steps"].size(), 5U);
  std::vector<std::string> order;
  for (const Json& step : json["steps"]) {
    expect_keys(step, {"step", "status", "checks"});
    order.push_back(step["step"]);
    for (const Json& check : step["checks"])
      expect_keys(check, {"id", "value", "unit", "threshold", "op", "status", "reason", "subject"});
  }
  EXPECT_EQ(order, (std::vector<std::string>{"gpu", "cpu", "disk", "memory", "network"}));
  EXPECT_EQ(json["steps"][0]["status"], "unknown");
  EXPECT_EQ(json["steps"][1]["status"], "critical");
  const Json& unmeasured = json["steps"][0]["checks"][0];
  EXPECT_TRUE(unmeasured["value"].is_null()) << "unknown is never zero";
  EXPECT_EQ(unmeasured["reason"], "not_recorded");
  const Json& await = json["steps"][2]["checks"][0];
  EXPECT_EQ(await["value"], 2.6);
  EXPECT_EQ(await["threshold"], 10);
  EXPECT_TRUE(await["reason"].is_null());
  EXPECT_EQ(await["subject"], "nvme0n1");
}

TEST_F(Rendered, JsonWithoutCulpritHasNullAndNotSomethingElse) {
  Json json = to_json(of_a_healthy_machine(), "node7");
  EXPECT_TRUE(json["verdict"]["culprit"].is_null());
  EXPECT_TRUE(json["verdict"]["since"].is_null());
  EXPECT_TRUE(json["findings"].is_array());
  EXPECT_TRUE(json["ruled_out"].is_array());
}

}  // namespace
}  // namespace tacho
