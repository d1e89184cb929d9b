// Writing and reading back: what comes out is what went in, whatever happens to the files between.
#include "recording/recording_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/file.h"
#include "recording/chunk.h"
#include "recording/folder.h"
#include "recording/format.h"
#include "recording/index.h"
#include "recording/tail.h"

namespace tacho {
namespace {

/// A carried table keeps its own read time, but what is carried into a chain is its first: so only
/// a table's content is compared there.
TEST_F(Recording, GivesBackWhatWentInFromTheTail) {
  RandomMachine machine(1);
  auto out = writer();
  auto texts = append(*out, machine, 100);
  EXPECT_EQ(read_all(), texts);
}

TEST_F(Recording, GivesBackWhatWentInFromChunksAndTail) {
  for (unsigned seed = 2; seed < 6; ++seed) {
    fs::remove_all(folder_);
    RandomMachine machine(seed);
    auto out = writer();
    auto texts = append(*out, machine, 700);  // two chunks of 300 and a tail
    EXPECT_EQ(read_all(), texts) << "seed " << seed;
    ASSERT_TRUE(out->close());
    EXPECT_EQ(read_all(), texts) << "seed " << seed << " closed";
  }
}

TEST_F(Recording, GoesOnAfterARestartWithRisingNumbers) {
  RandomMachine machine(7);
  auto out = writer();
  auto texts = append(*out, machine, 350);
  out.reset();  // as killed: the tail is not closed
  out = writer();
  auto more = append(*out, machine, 50);
  texts.insert(texts.end(), more.begin(), more.end());
  EXPECT_EQ(read_all(), texts);
  auto cursor = *open_recording(folder_, {});
  uint64_t number = 0;
  for (auto s = cursor->first(); *s; s = cursor->next())
    EXPECT_EQ((*s)->number, ++number);
  EXPECT_EQ(number, 400U);
}

TEST_F(Recording, MovesBothWaysAndToAnyMoment) {
  RandomMachine machine(8);
  auto out = writer();
  std::vector<SamplePtr> samples;
  for (int i = 0; i < 650; ++i) {
    samples.push_back(machine.next());
    ASSERT_TRUE(out->append(*samples.back()));
  }
  auto cursor = *open_recording(folder_, Selection::all());
  for (size_t i : {0U, 1U, 298U, 299U, 300U, 301U, 450U, 599U, 600U, 649U}) {
    int64_t then = samples[i]->clock.realtime_ns;
    EXPECT_EQ(as_text(**cursor->at(then)), as_text(*samples[i]));
    EXPECT_EQ(as_text(**cursor->at(then + 1000)), as_text(*samples[i])) << "just after";
    if (i > 0) {
      EXPECT_EQ(as_text(**cursor->previous()), as_text(*samples[i - 1]));
      EXPECT_EQ(as_text(**cursor->next()), as_text(*samples[i]));
    }
  }
  EXPECT_EQ(as_text(**cursor->last()), as_text(*samples.back()));
  EXPECT_FALSE(*cursor->next());
  EXPECT_EQ((*cursor->at(0))->number, 1U) << "before all: the first";
  EXPECT_FALSE(*cursor->previous());
}

TEST_F(Recording, IsReadWhileItIsWritten) {
  RandomMachine machine(9);
  auto out = writer();
  std::vector<std::string> read;
  std::vector<std::string> texts = append(*out, machine, 1);
  auto cursor = *open_recording(folder_, Selection::all());
  read.push_back(as_text(**cursor->first()));
  for (size_t step = 0; step < 250; ++step) {  // over several chunk ends
    for (const auto& text : append(*out, machine, 1 + step % 5))
      texts.push_back(text);
    for (auto s = cursor->next(); s && *s; s = cursor->next())
      read.push_back(as_text(**s));
  }
  EXPECT_EQ(read, texts);
  EXPECT_TRUE(cursor->gaps().empty());
}

TEST_F(Recording, DecodesOnlyWhatIsSelected) {
  RandomMachine machine(10);
  auto out = writer();
  append(*out, machine, 310);
  auto cursor = *open_recording(folder_, {TableId::cpu});
  auto sample = *cursor->first();
  EXPECT_NE(sample->rows(TableId::cpu), nullptr);
  EXPECT_EQ(sample->rows(TableId::process), nullptr);
}

TEST_F(Recording, ATailCutAnywhereLosesOnlyTheFrameThatWasCut) {
  RandomMachine machine(11, 3);
  auto out = writer();
  auto texts = append(*out, machine, 6);
  out.reset();
  std::string tail = only("tail-");
  std::string whole = *read_file(tail);
  // Where each frame ends.
  auto reader = *TailReader::open(tail);
  std::vector<uint64_t> ends;
  while (*reader.next())
    ends.push_back(reader.good_bytes());
  ASSERT_EQ(ends.size(), 6U);
  for (size_t cut = 0; cut <= whole.size(); ++cut) {
    ASSERT_TRUE(replace_file(tail, std::string_view(whole).substr(0, cut)));
    auto frames = static_cast<size_t>(
        std::count_if(ends.begin(), ends.end(), [&](uint64_t end) { return end <= cut; }));
    std::vector<std::string> kept(texts.begin(), texts.begin() + static_cast<ptrdiff_t>(frames));
    ASSERT_EQ(read_all(), kept) << "cut at " << cut;
  }
}

TEST_F(Recording, ATornTailIsTakenOverByTheNextRecorder) {
  RandomMachine machine(12, 3);
  auto out = writer();
  auto texts = append(*out, machine, 5);
  out.reset();
  std::string tail = only("tail-");
  fs::resize_file(tail, fs::file_size(tail) - 3);
  out = writer();
  auto notes = out->take_notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("torn end"), std::string::npos) << notes[0];
  texts.pop_back();
  EXPECT_EQ(read_all(), texts);
}

TEST_F(Recording, ABitFlippedInAChunkLosesThatChunkOrNothing) {
  RandomMachine machine(13, 2);
  auto out = writer();
  auto texts = append(*out, machine, 4);
  ASSERT_TRUE(out->close());
  out.reset();
  out = writer();
  auto later = append(*out, machine, 2);
  ASSERT_TRUE(out->close());
  out.reset();
  std::vector<std::string> both = texts;
  both.insert(both.end(), later.begin(), later.end());
  ASSERT_EQ(read_all(), both);
  std::string segment = folder_ + "/" + (*list_folder(folder_)).segments[0];
  std::string whole = *read_file(segment);
  size_t begin = (*load_index(folder_, (*list_folder(folder_)).segments[0], nullptr))[0].offset;
  size_t lost = 0;
  for (size_t bit = begin * 8; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(segment, std::ios::trunc) << flipped;
    std::vector<Gap> gaps;
    auto read = read_all(&gaps);
    if (read != both) {
      ASSERT_EQ(read, later) << "bit " << bit;
      ASSERT_FALSE(gaps.empty()) << "a loss is reported, bit " << bit;
      ++lost;
    }
  }
  EXPECT_GT(lost, 0U);
}

TEST_F(Recording, AnIndexThatIsMissingOrWrongIsMadeAnew) {
  RandomMachine machine(14);
  auto out = writer();
  auto texts = append(*out, machine, 610);
  ASSERT_TRUE(out->close());
  out.reset();
  std::string index = only(".idx");
  std::string good = *read_file(index);
  ASSERT_EQ(good.size(), 3 * kIndexEntry);
  for (const std::string& bad : {std::string(), good.substr(0, 40), good.substr(0, kIndexEntry),
                                 std::string(96, 'x'), good + good}) {
    ASSERT_TRUE(replace_file(index, bad));
    EXPECT_EQ(read_all(), texts);
  }
  fs::remove(index);
  EXPECT_EQ(read_all(), texts);
}

TEST_F(Recording, NoSampleThatWasAcknowledgedIsLostToKill9) {
  std::vector<std::string> acknowledged;
  size_t read_back = 0;
  for (int round = 0; round < 100; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
      close(pipe_ends[0]);
      RandomMachine machine(static_cast<unsigned>(round), 4);
      auto out = Writer::open(folder_, options_);
      for (uint64_t i = 0; out && i < 100'000; ++i) {
        if (!(*out)->append(*machine.next())) break;
        uint64_t number = (*out)->last_number();
        if (write(pipe_ends[1], &number, sizeof number) != sizeof number) break;
      }
      _exit(1);
    }
    close(pipe_ends[1]);
    uint64_t number = 0;
    // Killed after a number of samples that differs from round to round, while it goes on writing.
    for (int i = 0; i < 1 + round * 7 % 90; ++i) {
      ASSERT_EQ(read(pipe_ends[0], &number, sizeof number), static_cast<ssize_t>(sizeof number));
    }
    kill(child, SIGKILL);
    while (read(pipe_ends[0], &number, sizeof number) == static_cast<ssize_t>(sizeof number)) {
    }
    close(pipe_ends[0]);
    waitpid(child, nullptr, 0);
    auto cursor = *open_recording(folder_, {});
    auto last = *cursor->last();
    ASSERT_TRUE(last);
    EXPECT_GE(last->number, number) << "round " << round;
    read_back = last->number;
  }
  auto cursor = *open_recording(folder_, Selection::all());
  uint64_t count = 0;
  for (auto s = cursor->first(); s && *s; s = cursor->next())
    EXPECT_EQ((*s)->number, ++count);
  EXPECT_EQ(count, read_back);
}

TEST_F(Recording, TheTimesItHoldsIncludeItsLastSample) {
  RandomMachine machine(19);
  auto out = writer();
  append(*out, machine, 2);
  auto last = machine.next();
  ASSERT_NE(last->clock.realtime_ns % kMillisecond, 0) << "or rounding would not show";
  ASSERT_TRUE(out->append(*last));
  ASSERT_TRUE(out->close());
  EXPECT_GE(describe_recording(folder_)->to_ns, last->clock.realtime_ns);
  fs::remove(only(".idx"));
  EXPECT_GE(describe_recording(folder_)->to_ns, last->clock.realtime_ns);
}

TEST_F(Recording, KeepsNoMoreThanItMay) {
  options_.retention.max_bytes = 60'000;
  RandomMachine machine(15);
  uint64_t appended = 0;
  for (int run = 0; run < 8; ++run) {  // each run has a segment of its own
    auto out = writer();
    appended += append(*out, machine, 310).size();
    ASSERT_TRUE(out->close());
  }
  auto contents = *describe_recording(folder_);
  EXPECT_LE(contents.bytes, 75'000U);
  EXPECT_LT(contents.samples, appended);
  auto cursor = *open_recording(folder_, {});
  EXPECT_EQ((*cursor->last())->number, appended) << "the newest is kept";
}

TEST_F(Recording, ALargeRecordingHasManySegmentsSoThatDroppingOneLosesLittle) {
  options_.retention.max_bytes = 400'000;
  RandomMachine machine(17);
  auto out = writer();
  append(*out, machine, 4000);  // 13 chunks of about 25 kB
  auto segments = (*list_folder(folder_)).segments;
  EXPECT_GE(segments.size(), 4U);
  for (const std::string& segment : segments)
    EXPECT_LE(fs::file_size(folder_ + "/" + segment), 100'000U) << segment;
  EXPECT_LE(describe_recording(folder_)->bytes, 450'000U);
}

TEST_F(Recording, ATailLeftBehindByAChunkThatCouldNotBeWrittenIsTakenOver) {
  RandomMachine machine(18, 3);
  auto out = writer();
  auto texts = append(*out, machine, 5);
  fs::copy(only("tail-"), folder_ + "/kept");
  ASSERT_TRUE(out->close());
  out.reset();
  fs::remove(only(".seg"));
  fs::remove(only(".idx"));
  // As a full disk leaves it: samples 1 to 5 only in a tail, 6 to 8 in a chunk behind them.
  fs::copy(folder_ + "/kept", folder_ + "/" + tail_name(1));
  out = writer();
  fs::remove(only(".seg"));
  fs::remove(only(".idx"));
  auto later = append(*out, machine, 3);
  ASSERT_TRUE(out->close());
  out.reset();
  fs::copy(folder_ + "/kept", folder_ + "/" + tail_name(1));
  out = writer();
  texts.insert(texts.end(), later.begin(), later.end());
  EXPECT_EQ(read_all(), texts);
  EXPECT_EQ(out->last_number(), 8U);
}

TEST_F(Recording, ASecondRecorderIsRefusedByName) {
  auto first = writer();
  auto second = Writer::open(folder_, options_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::busy);
  EXPECT_NE(second.error().what.find(std::to_string(getpid())), std::string::npos);
}

TEST_F(Recording, ALaterFormatAndAForeignFolderAreRefused) {
  ASSERT_TRUE(replace_file(folder_ + "/format", "tacho recording 99\n"));
  EXPECT_EQ(open_recording(folder_, {}).error().code, Errc::too_new);
  EXPECT_EQ(Writer::open(folder_, options_).error().code, Errc::too_new);
  fs::remove(folder_ + "/format");
  EXPECT_EQ(open_recording(folder_, {}).error().code, Errc::not_found);
  EXPECT_EQ(open_recording(folder_ + "/nowhere", {}).error().code, Errc::not_found);
}

TEST_F(Recording, BeginsInNoFolderOfSomebodyElse) {
  fs::create_directories(folder_);
  std::ofstream(folder_ + "/thesis.tex") << "chapter one";
  auto writer = Writer::open(folder_, options_);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, Errc::invalid);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 1)
      << "nothing was put there";
  fs::remove(folder_ + "/thesis.tex");
  fs::create_directories(folder_ + "/runs/2026-12-01-100000-4242");
  fs::create_directories(folder_ + "/lost+found");
  EXPECT_TRUE(Writer::open(folder_, options_));
}

TEST_F(Recording, AFolderThatVanishesIsMadeAnew) {
  RandomMachine machine(16);
  auto out = writer();
  append(*out, machine, 3);
  fs::remove_all(folder_);
  auto texts = append(*out, machine, 3);
  EXPECT_EQ(read_all().size(), 3U);
  EXPECT_EQ(out->take_notes().size(), 1U);
}

}  // namespace
}  // namespace tacho
