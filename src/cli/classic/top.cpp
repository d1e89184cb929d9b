// tacho top: the original's grammar, messages and exit codes, live or over a recording.
#include "views/top/top.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/clock.h"
#include "base/text.h"
#include "cli/classic/feed.h"
#include "cli/classic/top_options.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "render/palette.h"

namespace tacho::cli {
namespace {

std::atomic<bool> g_stop = false;

void stop_on(int signal) {
  struct sigaction action {};
  action.sa_handler = [](int) { g_stop = true; };
  sigaction(signal, &action, nullptr);
}

/// As the original: what -w says, else the terminal, else COLUMNS, else 80; a terminal is not made
/// wider than it is.
size_t page_width(const TopJob& job) {
  size_t terminal = std::clamp<size_t>(terminal_width(STDOUT_FILENO), kTopLeast, kTopMost);
  if (!job.wide) return terminal;
  size_t wanted = job.width;
  if (wanted == 0) {
    const char* columns = getenv("COLUMNS");
    wanted = columns != nullptr ? parse_u64(columns).value_or(0) : 0;
    if (wanted == 0) wanted = kTopMost;
  }
  wanted = std::clamp<size_t>(wanted, kTopLeast, kTopMost);
  return job.refresh ? std::min(wanted, terminal) : wanted;
}

size_t page_lines(const TopJob& job) {
  if (job.refresh) return terminal_height(STDOUT_FILENO);
  const char* lines = job.wide && job.width == 0 ? getenv("LINES") : nullptr;
  return lines != nullptr ? parse_u64(lines).value_or(0) : 0;
}

/// The page over the one before: what remains of longer lines is cleared, and the last line has no
/// end that would scroll.
std::string over_the_last(std::string_view page, bool first) {
  std::string out = first ? "\x1b[2J\x1b[H" : "\x1b[H";
  if (page.ends_with('\n')) page.remove_suffix(1);
  for (char c : page) {
    if (c == '\n') out += "\x1b[K";
    out += c;
  }
  return out + "\x1b[K\x1b[J";
}

void print_frame(const Window& window, Begun begun, TopJob& job, bool first) {
  job.view.width = page_width(job);
  job.view.lines = page_lines(job);
  if (job.classic.json) {
    Json json{{"time", rfc3339(window.end().clock.realtime_ns, 3)},
              {"seconds", window.seconds()},
              {"from", name(begun)}};
    if (job.view.threads) json["threads_of"] = job.classic.recorded() ? "watched tree" : "all";
    json.update(top_json(window, job.view));
    print(to_string(json) + "\n");
    return;
  }
  std::string page = top_page(window, job.view);
  print(job.refresh ? over_the_last(page, first) : (first ? "" : "\n") + page);
}

int run_frames(TopJob& job) {
  FeedOptions wanted;
  wanted.selection = top_selection(job.view);
  wanted.delay_ns = job.delay_ns;
  // A recorder knows the threads of the watched tree only.
  wanted.first = job.view.threads ? First::primed_alone : First::primed;
  wanted.collector.all_threads = job.view.threads;
  wanted.stop = &g_stop;
  auto feed = WindowFeed::open(job.classic, wanted);
  if (!feed) return complain("top", feed.error().what, kFailed);
  if (job.view.threads && job.classic.recorded() && !job.classic.json) {
    note("top", "a recording holds the threads of the watched tree only");
  }
  bool first = true;
  for (int64_t left = job.frames; left != 0; left -= left > 0 ? 1 : 0) {
    auto window = feed->next();
    if (!window) return complain("top", window.error().what, kFailed);
    if (!*window) break;
    print_frame(**window, feed->begun(), job, first);
    first = false;
  }
  if (job.refresh) print("\n");
  return kDone;
}

}  // namespace

int top(int argc, char** argv) {
  TopJob job;
  if (auto code = parse_top_options(argc, argv, job)) return *code;
  bool on_terminal = isatty(STDOUT_FILENO) != 0;
  bool once_through = job.batch || job.classic.json || job.classic.recorded() || job.classic.root;
  if (!once_through && !on_terminal && isatty(STDIN_FILENO) == 0) {
    return complain("top", "failed tty get", kFailed);
  }
  job.refresh = !once_through && on_terminal;
  for (int signal : {SIGINT, SIGTERM})
    stop_on(signal);
  return run_frames(job);
}

}  // namespace tacho::cli
