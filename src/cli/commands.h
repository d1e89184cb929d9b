// The subcommands. Each is a function of its own file that gets its name and its arguments as a
// program's main does, and returns the exit code.
#pragma once

#include <span>
#include <string_view>

namespace tacho::cli {

/// Exit codes of tacho's own commands; the classic ones keep the originals'.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;      ///< with one clear line on stderr
inline constexpr int kWrongUsage = 2;  ///< with one clear line on stderr
inline constexpr int kFound = 3;       ///< why --fail-on found what it was asked for

struct Command {
  std::string_view name;
  std::string_view arguments;  ///< as the overview shows them
  std::string_view help;       ///< a message id
  int (*run)(int argc, char** argv);
  bool classic = false;  ///< is meant where the program is called by that name
  bool prints = false;   ///< prints and ends, so that --every can repeat it
};

[[nodiscard]] std::span<const Command> commands();

/// Runs the command that argv[1] names, or the classic one that the program is called as.
int dispatch(int argc, char** argv);

int capture(int argc, char** argv);
int doctor(int argc, char** argv);
int dump(int argc, char** argv);
int iostat(int argc, char** argv);
int mark(int argc, char** argv);
int netstat(int argc, char** argv);
int record(int argc, char** argv);
int run(int argc, char** argv);
int schema(int argc, char** argv);
int status(int argc, char** argv);
int stop(int argc, char** argv);
int top(int argc, char** argv);
int vmstat(int argc, char** argv);
int why(int argc, char** argv);

}  // namespace tacho::cli
