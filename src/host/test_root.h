// For tests: machines made of folders.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/machine.h"

namespace tacho {

/// A folder laid out like "/", gone when the test ends.
class TestRoot {
 public:
  TestRoot() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tacho-root-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~TestRoot() { std::filesystem::remove_all(folder_); }
  TestRoot(const TestRoot&) = delete;
  TestRoot& operator=(const TestRoot&) = delete;

  void write(const std::string& path, std::string_view text) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }
  void link(const std::string& path, const std::string& target) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::filesystem::create_symlink(target, folder_ / path);
  }
  void remove(const std::string& path) const { std::filesystem::remove_all(folder_ / path); }
  [[nodiscard]] std::string path() const { return folder_; }
  [[nodiscard]] std::shared_ptr<Machine> machine() const { return *Machine::rooted({path()}); }

 private:
  std::filesystem::path folder_;
};

/// A machine of tests/machines.
inline std::shared_ptr<Machine> test_machine(const std::string& name) {
  return *Machine::rooted({std::string(TACHO_SOURCE_DIR "/tests/machines/") + name});
}

/// The folder of real files from foreign machines, which lies beside the project and not in it;
/// nothing where it is not there.
inline std::optional<std::string> fixture_folder(const std::string& name) {
  for (const char* up : {"/../shared/fixtures/", "/../../shared/fixtures/"}) {
    std::string folder = std::string(TACHO_SOURCE_DIR) + up + name;
    if (std::filesystem::exists(folder)) return folder;
  }
  return std::nullopt;
}

}  // namespace tacho
