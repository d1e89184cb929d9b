// Reading, copying and dropping a recording while it is written.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "recording/format.h"
#include "recording/index.h"
#include "recording/recording_test.h"
#include "recording/tail.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

/// Sample numbers as first() and next() give them until there are no more.
std::vector<uint64_t> numbers(Cursor& cursor) {
  std::vector<uint64_t> all;
  for (auto s = cursor.first(); s && *s; s = cursor.next())
    all.push_back((*s)->number);
  return all;
}

class WhileWritten : public Recording {
 protected:
  /// Appends on a thread of its own, over several ends of chunks.
  class Appending {
   public:
    static constexpr uint64_t kSamples = 1600;

    explicit Appending(Writer& out)
        : thread_([this, &out] {
            RandomMachine machine(3, 2);
            for (uint64_t i = 0; i < kSamples; ++i) {
              auto appended = out.append(*machine.next());
              EXPECT_TRUE(appended) << (appended ? "" : appended.error().what);
              last_ = out.last_number();
            }
          }) {
      while (last_ == 0)
        std::this_thread::yield();
    }
    ~Appending() { thread_.join(); }
    Appending(const Appending&) = delete;
    Appending& operator=(const Appending&) = delete;
    [[nodiscard]] uint64_t last() const { return last_; }
    [[nodiscard]] bool goes_on() const { return last_ < kSamples; }

   private:
    std::atomic<uint64_t> last_{0};
    std::thread thread_;
  };
};

TEST_F(WhileWritten, AReaderMissesNothingAndReportsNoDamage) {
  auto out = writer();
  Appending appending(*out);
  while (appending.goes_on()) {
    uint64_t written = appending.last();
    auto cursor = open_recording(folder_, {});
    ASSERT_TRUE(cursor);
    auto read = numbers(**cursor);
    ASSERT_GE(read.size(), written) << "what was acknowledged before is seen";
    for (size_t i = 0; i < read.size(); ++i)
      ASSERT_EQ(read[i], i + 1);
    for (const Gap& gap : (*cursor)->gaps())
      ADD_FAILURE() << gap.why;
    auto contents = describe_recording(folder_);
    ASSERT_TRUE(contents);
    for (const Gap& gap : contents->gaps)
      ADD_FAILURE() << gap.why;
  }
}

TEST_F(WhileWritten, RetentionMayDropWhatIsBeingRead) {
  options_.retention.max_bytes = 20'000;
  auto out = writer();
  Appending appending(*out);
  while (appending.goes_on()) {
    auto cursor = open_recording(folder_, {});
    ASSERT_TRUE(cursor);
    uint64_t last = 0;
    for (auto s = (*cursor)->first();; s = (*cursor)->next()) {
      ASSERT_TRUE(s) << s.error().what;
      if (!*s) break;
      ASSERT_GT((*s)->number, last);
      last = (*s)->number;
    }
    for (const Gap& gap : (*cursor)->gaps()) {
      EXPECT_NE(gap.why.find("missing"), std::string::npos) << gap.why;
    }
    for (auto s = (*cursor)->last(); s && *s; s = (*cursor)->previous()) {
      ASSERT_LE((*s)->number, appending.last() + 1);
      if ((*s)->number + 50 < appending.last()) break;
    }
  }
}

TEST_F(WhileWritten, AChunkHalfWrittenIsNoDamageWhileItsTailIsThere) {
  RandomMachine machine(5, 3);
  auto out = writer();
  auto texts = append(*out, machine, 350);
  std::string tail = only("tail-");
  fs::copy(tail, folder_ + "/kept");
  std::string kept = tail;
  ASSERT_TRUE(out->close());
  out.reset();
  fs::copy(folder_ + "/kept", kept);
  std::string name = (*list_folder(folder_)).segments.at(0);
  std::string segment = folder_ + "/" + name;
  std::string whole = *read_file(segment);
  uint64_t begin = load_index(folder_, name, nullptr)->at(1).offset;
  size_t far = (whole.size() - begin) / 12;
  for (size_t cut = begin + 1; cut < whole.size(); cut += cut < begin + 60 ? 9 : far) {
    std::ofstream(segment, std::ios::trunc) << whole.substr(0, cut);
    std::vector<Gap> gaps;
    ASSERT_EQ(read_all(&gaps), texts) << cut;
    ASSERT_TRUE(gaps.empty()) << cut << ": " << gaps[0].why;
  }
  // Without the tail the same is a loss, and said to be one.
  fs::remove(kept);
  std::vector<Gap> gaps;
  EXPECT_EQ(read_all(&gaps).size(), 300U);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_NE(gaps[0].why.find("cut short"), std::string::npos) << gaps[0].why;
}

TEST_F(WhileWritten, WhatAKillLeftOfAChunkIsNoDamageAfterItsTailWasTakenOver) {
  RandomMachine machine(6, 3);
  auto out = writer();
  auto texts = append(*out, machine, 350);
  std::string tail = only("tail-");
  fs::copy(tail, folder_ + "/kept");
  ASSERT_TRUE(out->close());
  out.reset();
  std::string name = (*list_folder(folder_)).segments.at(0);
  uint64_t begin = load_index(folder_, name, nullptr)->at(1).offset;
  fs::resize_file(folder_ + "/" + name, begin + 100);
  fs::resize_file(folder_ + "/" + index_name(name), kIndexEntry);
  fs::rename(folder_ + "/kept", tail);
  out = writer();
  auto more = append(*out, machine, 5);
  texts.insert(texts.end(), more.begin(), more.end());
  std::vector<Gap> gaps;
  EXPECT_EQ(read_all(&gaps), texts);
  EXPECT_TRUE(gaps.empty()) << gaps[0].why;
}

TEST_F(WhileWritten, AnIndexThatTellsOfChunksTheSegmentLacksIsNotBelieved) {
  RandomMachine machine(7, 3);
  auto out = writer();
  auto texts = append(*out, machine, 620);
  out.reset();
  // As a copy has it whose segment was copied before its index.
  std::string name = (*list_folder(folder_)).segments.at(0);
  auto entries = *load_index(folder_, name, nullptr);
  ASSERT_EQ(entries.size(), 2U);
  fs::resize_file(folder_ + "/" + name, entries[1].offset);
  std::vector<Gap> gaps;
  auto read = read_all(&gaps);
  texts.erase(texts.begin() + 300, texts.begin() + 600);
  EXPECT_EQ(read, texts);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].why, "samples 301 to 600 are missing");
}

TEST_F(WhileWritten, AnIndexWithAHoleLosesNoChunk) {
  RandomMachine machine(8, 3);
  auto out = writer();
  auto texts = append(*out, machine, 910);
  out.reset();
  std::string index = only(".idx");
  std::string good = *read_file(index);
  ASSERT_EQ(good.size(), 3 * kIndexEntry);
  // The disk was full when the second entry was to be written, and again after a part of it.
  for (const std::string& written : {std::string(), good.substr(kIndexEntry, 7)}) {
    ASSERT_TRUE(
        replace_file(index, good.substr(0, kIndexEntry) + written + good.substr(2 * kIndexEntry)));
    std::vector<Gap> gaps;
    EXPECT_EQ(read_all(&gaps), texts);
    EXPECT_TRUE(gaps.empty());
  }
}

TEST_F(WhileWritten, ACopyHoldsAllOfABeginningOrSaysWhatItLacks) {
  auto out = writer();
  Appending appending(*out);
  std::string copy = folder_ + "-copy";
  while (appending.goes_on()) {
    fs::remove_all(copy);
    fs::create_directories(copy);
    std::error_code ignored;  // what vanishes while it is copied is not in the copy
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.is_regular_file(ignored))
        fs::copy(entry.path(), copy + "/" + entry.path().filename().string(), ignored);
    }
    auto cursor = open_recording(copy, {});
    if (!cursor) continue;  // its mark was not there yet
    auto read = numbers(**cursor);
    size_t jumps = 0;
    for (size_t i = 0; i < read.size(); ++i) {
      ASSERT_GT(read[i], i == 0 ? 0 : read[i - 1]);
      if (i > 0 && read[i] != read[i - 1] + 1) ++jumps;
    }
    EXPECT_LE(jumps, (*cursor)->gaps().size());
    fs::remove_all(copy);
  }
}

TEST_F(WhileWritten, ATailOlderThanASegmentIsReadInItsPlace) {
  RandomMachine machine(9, 3);
  auto out = writer();
  auto texts = append(*out, machine, 5);
  fs::copy(only("tail-"), folder_ + "/kept");
  ASSERT_TRUE(out->close());
  out.reset();
  out = writer();
  auto more = append(*out, machine, 3);
  texts.insert(texts.end(), more.begin(), more.end());
  ASSERT_TRUE(out->close());
  out.reset();
  // As a full disk leaves it: 1 to 5 in a tail that could not become a chunk, 6 to 8 in a segment.
  std::string first = (*list_folder(folder_)).segments.at(0);
  fs::remove(folder_ + "/" + first);
  fs::remove(folder_ + "/" + index_name(first));
  fs::rename(folder_ + "/kept", folder_ + "/" + tail_name(1));
  EXPECT_EQ(read_all(), texts);
}

TEST_F(WhileWritten, ATailThatCannotBeTakenOverIsNotOverwritten) {
  RandomMachine machine(10, 3);
  auto out = writer();
  auto texts = append(*out, machine, 4);
  out.reset();
  // Its frames are of a schema of a later format.
  std::string tail = only("tail-");
  std::string bytes = *read_file(tail);
  bytes[4] = 9;
  ASSERT_TRUE(replace_file(tail, bytes));
  out = writer();
  append(*out, machine, 3);
  EXPECT_EQ(*read_file(tail), bytes);
}

TEST_F(WhileWritten, ASegmentThatIsRemovedIsBegunAnew) {
  RandomMachine machine(11, 3);
  auto out = writer();
  auto texts = append(*out, machine, 350);
  fs::remove(only(".seg"));
  auto more = append(*out, machine, 260);  // 301 to 600 become a chunk
  std::vector<std::string> kept(texts.begin() + 300, texts.end());
  kept.insert(kept.end(), more.begin(), more.end());
  EXPECT_EQ(read_all(), kept);
}

TEST_F(WhileWritten, AFolderPutInTheOldOnesPlaceIsNotWrittenInto) {
  RandomMachine machine(12, 3);
  auto out = writer();
  append(*out, machine, 3);
  std::string away = folder_ + "-away";
  fs::rename(folder_, away);
  auto other = writer();
  ASSERT_TRUE(other);
  append(*other, machine, 3);
  // Both have a file of the same name open; only one of them has the folder.
  auto refused = out->append(*machine.next());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::busy);
  append(*other, machine, 2);
  EXPECT_EQ(read_all().size(), 5U);
  fs::remove_all(away);
}

TEST_F(WhileWritten, ARecordingPutInItsPlaceIsContinued) {
  RandomMachine machine(13, 3);
  auto out = writer();
  auto texts = append(*out, machine, 320);
  std::string away = folder_ + "-away";
  fs::copy(folder_, away, fs::copy_options::recursive);
  append(*out, machine, 400);
  fs::remove_all(folder_);
  fs::rename(away, folder_);
  auto more = append(*out, machine, 3);
  texts.insert(texts.end(), more.begin(), more.end());
  EXPECT_EQ(read_all(), texts);
}

}  // namespace
}  // namespace tacho
