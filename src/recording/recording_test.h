// What the tests of recordings share.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "recording/folder.h"
#include "recording/random_samples_test.h"
#include "recording/reader.h"
#include "recording/writer.h"

namespace tacho {

namespace fs = std::filesystem;

/// A folder of its own for a recording, gone when the test ends.
class Recording : public ::testing::Test {
 protected:
  Recording() {
    std::string pattern = (fs::temp_directory_path() / "tacho-recording-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    options_.interval_ns = kSecond;
    options_.retention.min_free_bytes = 0;
  }
  ~Recording() override { fs::remove_all(folder_); }

  std::unique_ptr<Writer> writer() {
    auto made = Writer::open(folder_, options_);
    EXPECT_TRUE(made) << (made ? "" : made.error().what);
    return made ? std::move(*made) : nullptr;
  }
  /// Appends `count` samples and gives them as text.
  std::vector<std::string> append(Writer& writer, RandomMachine& machine, size_t count) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) {
      auto sample = machine.next();
      EXPECT_TRUE(writer.append(*sample));
      texts.push_back(as_text(*sample));
    }
    return texts;
  }
  std::vector<std::string> read_all(std::vector<Gap>* gaps = nullptr) {
    auto cursor = open_recording(folder_, Selection::all());
    EXPECT_TRUE(cursor) << (cursor ? "" : cursor.error().what);
    std::vector<std::string> texts;
    for (auto sample = (*cursor)->first(); sample && *sample; sample = (*cursor)->next()) {
      texts.push_back(as_text(**sample));
    }
    if (gaps != nullptr) *gaps = (*cursor)->gaps();
    return texts;
  }
  std::string only(std::string_view ending) {
    std::string found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      std::string name = entry.path().filename();
      if (name.ends_with(ending) || name.starts_with(ending)) found = entry.path();
    }
    return found;
  }

  std::string folder_;
  WriterOptions options_;
};

}  // namespace tacho
