#include "render/text.h"

#include "base/text.h"

namespace tacho {

std::string_view translate(std::string_view id) {
  return id;
}

std::string to_text(const Message& message) {
  std::string_view pattern = translate(message.id);
  std::string out;
  size_t next = 0;
  for (size_t hole; (hole = pattern.find("{}")) != std::string_view::npos;) {
    out += pattern.substr(0, hole);
    out += next < message.args.size() ? escape_control(message.args[next++]) : "{}";
    pattern.remove_prefix(hole + 2);
  }
  out += pattern;
  return out;
}

std::string to_text(Absent reason) {
  return std::string(translate(describe(reason)));
}

}  // namespace tacho
