#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"

namespace tacho::cli {

void print(std::string_view text) {
  while (!text.empty()) {
    ssize_t n = write(STDOUT_FILENO, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EPIPE) {
      // SIGPIPE, where it is not ignored, has ended the program before.
      _exit(kDone);
    } else if (errno != EINTR && errno != EAGAIN) {
      note("", std::string("cannot write to standard output: ") + std::strerror(errno));
      _exit(kFailed);
    } else if (errno == EAGAIN) {
      usleep(1000);  // somebody made the terminal non-blocking; it will drain
    }
  }
}

void note(std::string_view command, std::string_view what) {
  std::string line = "tacho";
  if (!command.empty()) line += " " + std::string(command);
  line += ": " + escape_control(what) + "\n";
  // Where even that cannot be said there is nobody to tell.
  [[maybe_unused]] Result<void> written = write_all(STDERR_FILENO, line);
}

int failed(std::string_view command, std::string_view what) {
  note(command, what);
  return kFailed;
}

int failed(std::string_view command, const Error& error) {
  return failed(command, error.what);
}

int usage_error(std::string_view command, std::string_view what) {
  note(command, what);
  return kWrongUsage;
}

}  // namespace tacho::cli
