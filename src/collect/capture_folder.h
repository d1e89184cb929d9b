// The folder that a capture fills.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "collect/capture.h"
#include "host/machine.h"

namespace tacho {

/// Copies files of a machine to the same paths under a folder. After the first failure to write,
/// everything else is skipped and error() tells.
class CaptureFolder {
 public:
  CaptureFolder(const Machine& machine, std::string folder)
      : machine_(machine), folder_(std::move(folder)) {}

  /// The text that was copied (valid until the next copy); nothing where there is no such file or
  /// it may not be read.
  std::optional<std::string_view> copy(const std::string& path);
  void write(const std::string& path, std::string_view text);
  /// A symbolic link, as it stands in the machine or with another target. It need not lead
  /// anywhere.
  void copy_link(const std::string& path);
  void make_link(const std::string& path, const std::string& target);

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const CaptureSummary& summary() const { return summary_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  bool make_parent(const std::string& path);

  const Machine& machine_;
  std::string folder_;
  Buffer buffer_;
  std::unordered_set<std::string> folders_;
  std::unordered_set<std::string> refused_;  ///< names of files, so that each is told once
  CaptureSummary summary_;
  std::optional<Error> error_;
};

}  // namespace tacho
