// The fields of top, each declared once: its title, its width, how it is written, what it shows.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "derive/window.h"
#include "render/table.h"
#include "views/top/top.h"

namespace tacho {

/// What all lines of a page are made of.
struct TopFrame {
  TopFrame(const Window& w, const TopOptions& o) : window(w), options(o) {}
  const Window& window;
  const TopOptions& options;
  /// Names by number, as processes of this very sample have them; filled when first asked for.
  mutable std::unordered_map<uint64_t, std::string_view> users{};
  mutable std::unordered_map<uint64_t, std::string_view> groups{};
};

/// What one line of tasks is made of.
struct TopTask {
  static constexpr size_t kNone = static_cast<size_t>(-1);
  const TopFrame* frame;
  size_t process = kNone;  ///< row in the table process; of a thread, its process's
  size_t thread = kNone;   ///< row in the table thread, with -H
};

struct TopField {
  enum class Form {
    whole,
    memory,  ///< bytes, shown in KiB or larger
    count,
    percent,
    precise_percent,
    hundredths,  ///< a time
    seconds,
    minutes,
    hexadecimal,
    text,
  };
  static constexpr int kVariable = -1;  ///< shares what the others leave of the line
  static constexpr int kOfPids = -2;    ///< as wide as process ids are on this machine
  static constexpr int kOfCpus = -3;

  const char* name;
  int width;
  Align align;
  Form form;
  Number (*number)(const TopTask& task) = nullptr;
  std::string (*text)(const TopTask& task) = nullptr;
  /// Of the tables process and thread. Both null: nothing that is read has it.
  std::array<Column, 4> needs{};
  size_t needed = 0;

  [[nodiscard]] bool is_text() const { return form == Form::text; }
};

namespace top {

[[nodiscard]] std::span<const TopField> fields();
/// The named one of fields(); its absence would be a fault of the program.
[[nodiscard]] const TopField& field(std::string_view name);
/// %CPU as shown: what a tick's rounding puts above its threads' time is taken off.
[[nodiscard]] Number cpu(const TopTask& task);
/// A figure of the field, absent where it has none; that of a text field is absent.
[[nodiscard]] Number number_of(const TopField& field, const TopTask& task);
/// A text of the field, as it was read; empty where it is not there.
[[nodiscard]] std::string text_of(const TopField& field, const TopTask& task);
/// In at most `width` columns, safe to print.
[[nodiscard]] std::string cell(const TopField& field, const TopTask& task, int width);

}  // namespace top
}  // namespace tacho
