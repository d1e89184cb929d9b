// Result<T>: a value or an Error. Everything in tacho that can fail at run time returns one;
// exceptions are left to programming errors and to libraries.
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace tacho {

/// What kind of failure, for code that has to decide; the text is for people.
enum class Errc {
  not_found,      ///< there is no such file, instance or name
  no_permission,  ///< it exists but may not be read (EACCES, EPERM)
  not_supported,  ///< this kernel or device does not offer it
  timed_out,
  gone,      ///< it was there and is no more (ESRCH, ENODEV)
  corrupt,   ///< bytes that do not mean what they should
  too_new,   ///< written by a later format
  no_space,  ///< ENOSPC, EDQUOT
  busy,      ///< somebody else holds it
  invalid,   ///< the caller's words cannot be understood
  io,        ///< any other failure of the system
};

/// `what` is one line, without a full stop: what failed, where, and where possible what to do.
struct Error {
  Errc code = Errc::io;
  std::string what;
};

template <typename T>
using Result = tl::expected<T, Error>;

template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail(Errc code, fmt::format_string<Args...> format,
                                         Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

/// The Errc for an errno value.
[[nodiscard]] Errc errc_of(int error_number);

/// "<what>: <strerror>", with the matching code.
[[nodiscard]] tl::unexpected<Error> fail_errno(int error_number, std::string_view what);

}  // namespace tacho
