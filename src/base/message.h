// A text for people that has not been put into a language yet. The lower folders make messages;
// only render, live and cli turn them into English or Chinese.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacho {

/// `id` is the English sentence with {} for each argument (a gettext message id): it must be a
/// string literal, since it is kept by reference. Arguments are already formatted.
struct Message {
  std::string_view id;
  std::vector<std::string> args;

  Message() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a bare literal is a message without arguments.
  Message(const char* literal) : id(literal) {}
  Message(std::string_view literal, std::vector<std::string> arguments)
      : id(literal), args(std::move(arguments)) {}

  [[nodiscard]] bool empty() const { return id.empty(); }
};

}  // namespace tacho
