// The options of tacho's own commands: declared once, they parse, and print their help.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacho::cli {

/// The places given to it must outlive parse(). Help texts are message ids.
///
///   Arguments args("dump", "rates of any table, one row per sample and instance");
///   args.flag("--raw", raw, "stored values instead of rates");
///   if (auto code = args.parse(argc, argv)) return *code;
class Arguments {
 public:
  Arguments(std::string_view command, std::string_view help);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// `names`: "--json", or "-b,--background".
  void flag(const std::string& names, bool& to, std::string_view help);
  /// An option with a value, which may begin with '-'; `word` stands for it in the help.
  void value(const std::string& names, std::optional<std::string>& to, const std::string& word,
             std::string_view help);
  /// An option that may have a value (--live, --live=5): empty text where it has none.
  void optional_value(const std::string& names, std::optional<std::string>& to,
                      const std::string& word, std::string_view help);
  /// Words without a dash, at most `most` of them.
  void words(const std::string& word, std::vector<std::string>& to, size_t least, size_t most);
  /// A sentence printed under the options.
  void epilogue(std::string_view text);

  /// Nothing: go on. Otherwise the exit code: help was printed, or what is wrong was.
  [[nodiscard]] std::optional<int> parse(int argc, char** argv);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacho::cli
