#include "cli/arguments.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>

#include "cli/commands.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "render/palette.h"
#include "render/text.h"
#include "render/width.h"

namespace tacho::cli {

struct Arguments::State {
  struct Line {
    std::string left;
    std::string_view help;
  };
  std::string command;
  std::string_view help;
  CLI::App app;
  std::vector<Line> lines;
  std::vector<std::string> names;         // of all options
  std::vector<std::string> valued_names;  // of those that always take a value
  std::deque<std::string> optional_values;
  std::string usage_words;
  std::vector<std::string>* words = nullptr;
  size_t least_words = 0;
  size_t most_words = 0;
  std::string epilogue;

  void declare(const std::string& option_names, const std::string& value, std::string_view text) {
    std::string left = option_names;
    for (size_t comma = 0; (comma = left.find(',', comma)) != std::string::npos; comma += 2)
      left.replace(comma, 1, ", ");
    lines.push_back({left + value, text});
    for (const std::string& name : CLI::detail::split(option_names, ','))
      names.push_back(name);
  }
  [[nodiscard]] std::string help_text() const;
  [[nodiscard]] int unknown(const std::string& word) const;
  [[nodiscard]] std::vector<std::string> gather(int argc, char** argv) const;
};

std::string Arguments::State::help_text() const {
  size_t width = std::min<size_t>(terminal_width(STDOUT_FILENO), 100);
  std::string out = std::string(translate("usage:")) + " tacho " + command + usage_words;
  out += lines.empty() ? "\n" : " [options]\n";
  for (const std::string& line : wrap(translate(help), width))
    out += line + "\n";
  if (!lines.empty()) out += "\n";
  for (const Line& line : lines)
    out += hang(pad_right("  " + line.left, 26) + "  ", translate(line.help), width);
  if (!epilogue.empty()) {
    out += "\n";
    for (const std::string& line : wrap(epilogue, width))
      out += line + "\n";
  }
  return out;
}

int Arguments::State::unknown(const std::string& word) const {
  if (word.size() < 2 || word[0] != '-') {
    return usage_error(command, "unexpected argument '" + word + "'");
  }
  std::string name = word.substr(0, word.find('='));
  std::vector<std::string_view> known(names.begin(), names.end());
  return usage_error(command, "unknown option " + name +
                                  did_you_mean(name, known, "tacho " + command + " --help"));
}

/// "--from -10m" is one option with its value, whatever the value begins with.
std::vector<std::string> Arguments::State::gather(int argc, char** argv) const {
  std::vector<std::string> gathered;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    bool valued = std::find(valued_names.begin(), valued_names.end(), word) != valued_names.end();
    if (valued && i + 1 < argc && word.rfind("--", 0) == 0) {
      word += "=";
      word += argv[++i];
    }
    gathered.push_back(std::move(word));
  }
  return gathered;
}

Arguments::Arguments(std::string_view command, std::string_view help)
    : state_(std::make_unique<State>()) {
  state_->command = command;
  state_->help = help;
  state_->app.set_help_flag();
  state_->app.allow_extras();
}
Arguments::~Arguments() = default;

void Arguments::flag(const std::string& names, bool& to, std::string_view help) {
  state_->app.add_flag(names, to);
  state_->declare(names, "", help);
}

void Arguments::value(const std::string& names, std::optional<std::string>& to,
                      const std::string& word, std::string_view help) {
  state_->app.add_option_function<std::string>(names, [&to](const std::string& v) { to = v; });
  state_->declare(names, " " + word, help);
  for (const std::string& name : CLI::detail::split(names, ','))
    state_->valued_names.push_back(name);
}

void Arguments::optional_value(const std::string& names, std::optional<std::string>& to,
                               const std::string& word, std::string_view help) {
  // A flag of CLI11 takes a value only after '=': the word that follows is another argument.
  std::string& typed = state_->optional_values.emplace_back();
  state_->app.add_flag(names, typed)->each([&to](const std::string& v) {
    to = v == "true" ? "" : v;  // "true" is what stands for a flag without a value
  });
  state_->declare(names, "[=" + word + "]", help);
}

void Arguments::words(const std::string& word, std::vector<std::string>& to, size_t least,
                      size_t most) {
  state_->words = &to;
  state_->least_words = least;
  state_->most_words = most;
  std::string shown = word + (most > 1 ? "..." : "");
  state_->usage_words = least == 0 ? " [" + shown + "]" : " " + shown;
}

void Arguments::epilogue(std::string_view text) {
  state_->epilogue = translate(text);
}

std::optional<int> Arguments::parse(int argc, char** argv) {
  State& s = *state_;
  bool help = false;
  flag("-h,--help", help, "show this");
  std::vector<std::string> gathered = s.gather(argc, argv);
  std::reverse(gathered.begin(), gathered.end());  // the order in which CLI11 wants them
  try {
    s.app.parse(std::move(gathered));
  } catch (const CLI::ParseError& error) {
    return usage_error(s.command, error.what());
  }
  if (help) {
    print(s.help_text());
    return kDone;
  }
  std::vector<std::string> left = s.app.remaining();
  for (const std::string& word : left) {
    bool option = word.size() > 1 && word[0] == '-';
    if (option || !s.words || s.words->size() == s.most_words) return s.unknown(word);
    s.words->push_back(word);
  }
  if (s.words && s.words->size() < s.least_words) {
    return usage_error(s.command, "missing" + s.usage_words + "; tacho " + s.command + " --help");
  }
  return std::nullopt;
}

}  // namespace tacho::cli
