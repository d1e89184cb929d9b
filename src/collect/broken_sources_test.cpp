// Sources that are damaged, cut off or strange: absent values, never a crash. The sanitized build
// turns what a wrong step would read into a failure.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "base/text.h"
#include "collect/cgroup_files.h"
#include "collect/kernel_message.h"
#include "collect/nfs_reader.h"
#include "collect/stat_line.h"
#include "collect/test_rows.h"
#include "host/ethtool.h"
#include "host/kernel_log.h"
#include "host/mounts.h"
#include "host/sockets.h"
#include "host/system_facts.h"
#include "host/test_root.h"
#include "schema/net.h"

namespace tacho {
namespace {

TEST(ForeignMachine, EveryTableIsReadOrAbsent) {
  auto folder = fixture_folder("procfs");
  if (!folder) GTEST_SKIP() << "no fixtures beside this checkout";
  auto machine = *Machine::rooted({*folder});
  for (size_t i = 0; i < kTableCount; ++i) {
    auto rows = read_table(machine, static_cast<TableId>(i));
    if (!rows) continue;  // no reader
    EXPECT_TRUE(rows->absent == Absent::no || rows->empty());
  }
  auto net = read_table(machine, TableId::net);
  EXPECT_NE(find_row(*net, schema::net["device"], "eth0"), KeyIndex::npos);
}

std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A bounded fuzz of the parsers of text and messages: every file of the written machines, damaged
/// in a few places, goes to all of them.
class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}
  std::string operator()(std::string text) {
    for (size_t i = 0, n = 1 + pick(4); i < n && !text.empty(); ++i) {
      size_t at = pick(text.size());
      switch (pick(6)) {
        case 0:
          text[at] = static_cast<char>(pick(256));
          break;
        case 1:
          text.erase(at, 1 + pick(8));
          break;
        case 2:
          text.insert(at, text.substr(pick(text.size()), pick(32)));
          break;
        case 3:
          text.resize(at);
          break;
        case 4:
          text.insert(at, "99999999999999999999");
          break;
        default:
          text.insert(at, 1, " \n:=\0-,;("[pick(9)]);
      }
    }
    return text;
  }

 private:
  size_t pick(size_t below) { return random_() % below; }
  std::mt19937 random_;
};

void parse_everything(std::string_view text) {
  for (const Mount& mount : local_mounts(parse_mountinfo(text)))
    EXPECT_TRUE(mount.point.starts_with('/'));
  for (SocketProtocol protocol : kSocketProtocols) {
    std::string_view rest = text;
    std::string_view line;
    while (next_line(rest, line)) {
      if (auto socket = parse_socket_line(protocol, line)) {
        EXPECT_FALSE(name(socket->state).empty());
      }
    }
    (void)parse_inet_diag(protocol, text);
  }
  Rows nfs(layout_of(TableId::mount_nfs), std::make_shared<TextPool>());
  parse_mountstats(text, nfs);
  Ranks ranks;
  for (CgroupSource& source : cgroup_sources()) {
    Rows rows(layout_of(TableId::cgroup), std::make_shared<TextPool>());
    ranks.reset(rows.width());
    source.parse(text, rows, rows.append(), ranks);
  }
  for (const CgroupMembership& membership : parse_process_cgroups(text))
    EXPECT_TRUE(membership.path.starts_with('/'));
  (void)classify_kernel_message(text);
  (void)parse_kernel_record(text);
  (void)parse_cpu_list(text);
  (void)count_cpus(text);
  (void)cgroup_path(text);
  (void)highest_speed(parse_link_modes(text));
}

TEST(DamagedSources, NoParserReadsBeyondWhatItWasGiven) {
  Damage damage(20261201);
  std::vector<std::string> texts;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(TACHO_SOURCE_DIR "/tests/machines")) {
    if (entry.is_regular_file()) texts.push_back(slurp(entry.path()));
  }
  ASSERT_GT(texts.size(), 50U);
  for (int round = 0; round < 30; ++round) {
    for (const std::string& text : texts)
      parse_everything(damage(text));
  }
}

TEST(DamagedSources, AWholeMachineOfThemIsStillRead) {
  Damage damage(4242);
  for (const char* name : {"node-v1", "node-v2"}) {
    std::filesystem::path from = std::string(TACHO_SOURCE_DIR "/tests/machines/") + name;
    for (int round = 0; round < 10; ++round) {
      TestRoot root;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(from)) {
        if (!entry.is_regular_file()) continue;
        root.write(entry.path().lexically_relative(from), damage(slurp(entry.path())));
      }
      auto sample = Collector(root.machine(), Selection::all()).collect();
      EXPECT_EQ(sample->number, 1U);
    }
  }
}

}  // namespace
}  // namespace tacho
