#include "collect/mask.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/text.h"

namespace tacho {
namespace {

constexpr size_t kLongest = 4096;
constexpr std::string_view kMask = "***";

/// Words that, at the end of a name, say that its value is secret.
constexpr std::array<std::string_view, 10> kSecret{"token",  "password",  "passwd",  "secret",
                                                   "apikey", "api_key",   "api-key", "_key",
                                                   "-key",   "credential"};

std::string lower(std::string_view s) {
  std::string out(s);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool secret_name(std::string_view name) {
  std::string small = lower(name);
  while (small.starts_with('-'))
    small.erase(0, 1);
  return std::ranges::any_of(kSecret, [&](auto word) { return small.ends_with(word); }) ||
         small == "pass" || small == "key" || small == "credentials";
}

/// scheme://user:secret@host → scheme://user:***@host
std::string mask_url(std::string_view s) {
  std::string out(s);
  for (size_t at = out.find("://"); at != std::string::npos; at = out.find("://", at + 3)) {
    size_t begin = at + 3;
    size_t end = out.find_first_of("/ ?#", begin);
    size_t host = out.rfind('@', end == std::string::npos ? end : end);
    size_t colon = out.find(':', begin);
    if (host == std::string::npos || host < begin || colon == std::string::npos || colon > host)
      continue;
    out.replace(colon + 1, host - colon - 1, kMask);
  }
  return out;
}

/// A word that announces a secret in the next argument: "--token", "-password", "Bearer".
bool announces(std::string_view argument) {
  if (argument.find('=') != std::string_view::npos) return false;
  std::string small = lower(argument);
  if (small == "bearer" || small == "authorization:" || small == "password") return true;
  return argument.starts_with('-') && secret_name(argument);
}

std::string mask_argument(std::string_view argument) {
  std::string small = lower(argument);
  for (std::string_view word : {"authorization: ", "bearer "}) {
    size_t at = small.find(word);
    if (at != std::string::npos) {
      return std::string(argument.substr(0, at + word.size())) + std::string(kMask);
    }
  }
  // A whole script in one argument: sh -c "export API_KEY=abc; train --token x".
  if (argument.find(' ') != std::string_view::npos) {
    std::string out;
    bool next_secret = false;
    for (std::string_view word : split(argument, ' ')) {
      if (!out.empty()) out += ' ';
      out += next_secret && !word.empty() ? std::string(kMask) : mask_argument(word);
      next_secret = announces(word);
    }
    return out;
  }
  size_t equals = argument.find('=');
  if (equals != std::string_view::npos && secret_name(argument.substr(0, equals))) {
    return std::string(argument.substr(0, equals + 1)) + std::string(kMask);
  }
  return mask_url(argument);
}

}  // namespace

std::string masked_command_line(std::string_view arguments) {
  while (!arguments.empty() && arguments.back() == '\0')
    arguments.remove_suffix(1);
  if (arguments.empty()) return "";
  std::string out;
  bool next_secret = false;
  for (std::string_view argument : split(arguments, '\0')) {
    if (!out.empty()) out += ' ';
    out += next_secret ? std::string(kMask) : mask_argument(argument);
    next_secret = announces(argument);
    if (out.size() >= kLongest) break;
  }
  if (out.size() > kLongest) out.resize(kLongest);
  return out;
}

}  // namespace tacho
