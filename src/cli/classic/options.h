// What every classic command understands beside the original's options, and the original's way of
// complaining.
#pragma once

#include <getopt.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/range.h"
#include "host/machine.h"

namespace tacho::cli {

struct ClassicOptions {
  RangeWords range;               ///< --from, --to, --last
  std::optional<std::string> at;  ///< --at: the one moment
  std::optional<std::string> dir;
  std::optional<std::string> root;  ///< --root DIR[,DIR…]
  bool json = false;

  /// Whether a recording is meant, not the machine.
  [[nodiscard]] bool recorded() const { return range.given() || at || dir; }
  /// Takes what getopt_long returned; false where it is none of these options.
  bool take(int code, const char* value);
  /// The same for commands that walk their words themselves: takes "--from T" or "--from=T" at
  /// argv[at], and leaves `at` on the last word that was taken. False where it is none of these
  /// options, or lacks its value.
  bool take_word(int& at, int argc, char** argv);
  /// The running machine, or the one in the folders of --root.
  [[nodiscard]] Result<std::shared_ptr<Machine>> machine() const;
};

/// The command's own long options, then those above, then the end mark of getopt_long. Their codes
/// begin at 1000.
[[nodiscard]] std::vector<option> with_classic_options(std::vector<option> own);

/// The lines of a usage text that tell of them.
extern const char* const kClassicUsage;

/// "name: message" on standard error, control characters escaped, and `usage` after it; returns
/// `code`.
int complain(std::string_view name, std::string_view message, int code,
             std::string_view usage = {});

/// What getopt_long objects to when it returns '?' or ':' (`returned`), in its own words. `argv` is
/// what was parsed.
[[nodiscard]] std::string option_fault(int returned, char** argv);

}  // namespace tacho::cli
