// A hundred thousand samples with processes, sockets and devices that come and go: what recording
// takes stays what it was. Samples are made up, as fast as they can be written; a shorter run has
// the real readers look at a folder that changes under them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "collect/collector.h"
#include "recorder/self_reader.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "schema/disk.h"
#include "schema/net.h"
#include "schema/process.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;  // it keeps freed memory for a while, and is slow
#else
constexpr bool kSanitized = false;
#endif

struct Footprint {
  uint64_t resident_kib = tacho::resident_kib();
  size_t descriptors = entries("/proc/self/fd");
  size_t threads = entries("/proc/self/task");

  static size_t entries(const char* folder) {
    auto all = fs::directory_iterator(folder);
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }
};

void expect_flat(const Footprint& before, uint64_t may_grow_kib) {
  Footprint now;
  EXPECT_EQ(now.descriptors, before.descriptors);
  EXPECT_EQ(now.threads, before.threads);
  if (kSanitized) return;
  EXPECT_LE(now.resident_kib, before.resident_kib + may_grow_kib);
  std::cout << "resident: " << before.resident_kib << " KiB, then " << now.resident_kib << " KiB\n";
}

/// An invented machine: at any time about 40 processes, 30 sockets, 4 disks and 3 interfaces, of
/// which some are replaced in every sample by others with names never seen before.
class BusyMachine {
 public:
  SamplePtr next() {
    auto sample = std::make_shared<Sample>();
    ++count_;
    int64_t now = static_cast<int64_t>(count_) * kSecond;
    sample->number = count_;
    sample->clock = {1'700'000'000 * kSecond + now, now, now};
    if (pool_->bytes() > 256 * 1024) pool_ = std::make_shared<TextPool>();  // as the collector does
    fill(*sample, TableId::process, processes_, 40, [&](Rows& rows, size_t row, uint64_t id) {
      rows.set(row, schema::process["pid"], id % 32768);
      rows.set(row, schema::process["start"], id);
      rows.set_text(row, schema::process["command"], "worker-" + std::to_string(id));
      rows.set_text(row, schema::process["command_line"], "train --part " + std::to_string(id));
      rows.set(row, schema::process["user_time"], count_ * (id % 7));
      rows.set(row, schema::process["resident"], random_() % 100'000);
    });
    fill(*sample, TableId::socket, sockets_, 30, [&](Rows& rows, size_t row, uint64_t id) {
      rows.set_text(row, schema::socket["protocol"], "tcp");
      rows.set_text(row, schema::socket["local_address"], "10.0.0.1");
      rows.set(row, schema::socket["local_port"], 1024 + id % 60'000);
      rows.set_text(row, schema::socket["remote_address"], "10.1." + std::to_string(id % 65'536));
      rows.set(row, schema::socket["remote_port"], 443);
      rows.set(row, schema::socket["inode"], id);
      rows.set(row, schema::socket["recv_queue"], random_() % 3);
    });
    fill(*sample, TableId::disk, disks_, 4, [&](Rows& rows, size_t row, uint64_t id) {
      rows.set_text(row, schema::disk["device"], "sd" + std::to_string(id));
      rows.set(row, schema::disk["reads"], count_ * 10);
    });
    fill(*sample, TableId::net, interfaces_, 3, [&](Rows& rows, size_t row, uint64_t id) {
      rows.set_text(row, schema::net["device"], "veth" + std::to_string(id));
      rows.set(row, schema::net["rx_bytes"], count_ * 1500);
    });
    return sample;
  }

 private:
  template <typename Fill>
  void fill(Sample& sample, TableId table, std::vector<uint64_t>& ids, size_t about, Fill one) {
    std::erase_if(ids, [&](uint64_t) { return random_() % 50 == 0; });
    while (ids.size() < about)
      ids.push_back(++born_);
    auto rows = std::make_shared<Rows>(layout_of(table), pool_);
    rows->read_ns = sample.clock.monotonic_ns;
    for (uint64_t id : ids)
      one(*rows, rows->append(), id);
    sample.put(table, std::move(rows));
  }

  std::mt19937_64 random_{4};
  TextPoolPtr pool_ = std::make_shared<TextPool>();
  std::vector<uint64_t> processes_;
  std::vector<uint64_t> sockets_;
  std::vector<uint64_t> disks_;
  std::vector<uint64_t> interfaces_;
  uint64_t born_ = 0;
  uint64_t count_ = 0;
};

class Endurance : public ::testing::Test {
 protected:
  Endurance() {
    std::string pattern = (fs::temp_directory_path() / "tacho-endurance-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    options_.retention.max_bytes = 4 << 20;
    options_.retention.min_free_bytes = 0;
  }
  ~Endurance() override { fs::remove_all(folder_); }

  std::string folder_;
  WriterOptions options_;
};

TEST_F(Endurance, AHundredThousandSamplesLeaveNothingBehind) {
  options_.interval_ns = kSecond;
  auto out = std::move(*Writer::open(folder_, options_));
  BusyMachine machine;
  constexpr uint64_t kSamples = kSanitized ? 10'000 : 100'000;
  // By then every chunk has been made and a segment has been dropped.
  constexpr uint64_t kSettled = kSamples / 5;
  std::optional<Footprint> settled;
  for (uint64_t i = 0; i < kSamples; ++i) {
    ASSERT_TRUE(out->append(*machine.next()));
    (void)out->take_notes();
    if (i == kSettled) settled.emplace();
  }
  expect_flat(*settled, 4096);
  auto held = *describe_recording(folder_);
  EXPECT_LE(held.bytes, (4 << 20) + (1 << 20));
  EXPECT_EQ(out->last_number(), kSamples);
  auto cursor = *open_recording(folder_, {TableId::process});
  EXPECT_EQ((*cursor->last())->number, kSamples);
}

/// A folder laid out like "/" in which processes and devices come and go.
class ChangingRoot {
 public:
  explicit ChangingRoot(std::string folder) : folder_(std::move(folder)) { change(0); }

  void change(uint64_t moment) {
    auto n = [&](uint64_t x) { return std::to_string(x); };
    write("proc/uptime", n(1000 + moment) + ".00 500.00\n");
    write("proc/stat", "cpu  " + n(moment) + " 0 0 0 0 0 0 0 0 0\ncpu0 " + n(moment) +
                           " 0 0 0 0 0 0 0 0 0\nbtime 1700000000\nprocesses " + n(moment) + "\n");
    write("proc/diskstats", "8 0 sd" + n(moment % 700) + " 1 2 3 4 5 6 7 8 9 10 11\n");
    write("proc/net/dev", "a\nb\n  veth" + n(moment) + ": 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7\n");
    for (uint64_t pid = 100 + moment; pid < 110 + moment; ++pid) {
      std::string folder = "proc/" + n(pid);
      if (fs::exists(folder_ / folder)) continue;
      write(folder + "/stat", n(pid) + " (worker" + n(pid) +
                                  ") S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 "
                                  "0 1 0 " +
                                  n(pid) + " 4096 8\n");
      write(folder + "/cmdline", "worker" + n(pid));
      write(folder + "/status", "Name:\tworker\nUid:\t0\t0\t0\t0\n");
    }
    if (moment > 0) fs::remove_all(folder_ / ("proc/" + n(99 + moment)));
  }

 private:
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  fs::path folder_;
};

TEST_F(Endurance, TheReadersKeepNothingOfWhatIsGone) {
  ChangingRoot root(folder_ + "/root");
  Collector collector(*Machine::rooted({folder_ + "/root"}), Selection::all());
  auto out = std::move(*Writer::open(folder_ + "/recording", options_));
  constexpr uint64_t kSamples = kSanitized ? 1000 : 3000;  // at half of them there is a chunk
  std::optional<Footprint> settled;
  for (uint64_t i = 1; i <= kSamples; ++i) {
    root.change(i);
    auto sample = collector.collect();
    ASSERT_EQ(sample->rows(TableId::process)->size(), 10U);
    ASSERT_TRUE(out->append(*sample));
    if (i == kSamples / 2) settled.emplace();
  }
  expect_flat(*settled, 3072);
}

}  // namespace
}  // namespace tacho
