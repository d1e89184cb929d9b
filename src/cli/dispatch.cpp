#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/every.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "cli/version.h"
#include "render/palette.h"
#include "render/text.h"
#include "render/width.h"

namespace tacho::cli {
namespace {

/// With one of the three standard streams closed, the next file opened would take its number, and
/// what is meant for the stream would go into that file. Writing to the stand-in fails, as it does
/// to a closed stream. A program that is run finds its streams closed, as they were.
void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    int mode = fd == 0 ? O_WRONLY : O_RDONLY;
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode | O_CLOEXEC) < 0) _exit(1);
  }
}

std::string overview() {
  size_t width = std::min<size_t>(terminal_width(STDOUT_FILENO), 100);
  std::string out =
      std::string(translate("tacho records this machine and says why training is slow")) + "\n\n" +
      std::string(translate("usage: tacho COMMAND ...")) + "\n\n";
  for (const Command& command : commands()) {
    std::string left = "  " + std::string(command.name);
    if (!command.arguments.empty()) left += " " + std::string(command.arguments);
    out += hang(pad_right(left, 30) + "  ", translate(command.help), width);
  }
  return out + "\n" +
         std::string(translate("tacho COMMAND --help tells more; tacho --version the version.")) +
         "\n" + std::string(translate("--every N repeats what prints once, every N seconds.")) +
         "\n";
}

const Command* find(std::string_view name) {
  auto all = commands();
  auto it = std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  return it == all.end() ? nullptr : &*it;
}

int unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands())
    names.push_back(command.name);
  return usage_error("", "there is no command '" + std::string(name) + "'" +
                             did_you_mean(name, names, "tacho --help lists them"));
}

int run(const Command& command, int argc, char** argv) {
  if (!command.prints) return command.run(argc, argv);
  auto every = take_every(argc, argv);
  if (!every) return usage_error(command.name, every.error().what);
  return *every ? run_every(command, argc, argv, **every) : command.run(argc, argv);
}

}  // namespace

int dispatch(int argc, char** argv) {
  occupy_standard_streams();
  if (argc < 1) return usage_error("", "called without a name");
  std::string_view called = argv[0];
  called.remove_prefix(called.rfind('/') + 1);  // npos + 1 is 0
  const Command* by_name = find(called);
  if (by_name && by_name->classic) return run(*by_name, argc, argv);
  if (called.substr(0, 5) != "tacho" && argc > 0 && !by_name) {
    return usage_error("",
                       "called as '" + std::string(called) + "', which this build does not have");
  }

  std::string_view word = argc > 1 ? argv[1] : "";
  if (word.empty() || word == "--help" || word == "-h" || word == "help") {
    print(overview());
    return kDone;
  }
  if (word == "--version" || word == "-V") {
    print("tacho " + std::string(kVersion) + "\n");
    return kDone;
  }
  if (word.front() == '-') {
    return usage_error("", "unknown option " + std::string(word) + "; a command comes first");
  }
  const Command* command = find(word);
  return command ? run(*command, argc - 1, argv + 1) : unknown(word);
}

}  // namespace tacho::cli
