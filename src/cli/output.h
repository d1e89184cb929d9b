// Standard output and the one clear line on standard error.
#pragma once

#include <string_view>

#include "base/result.h"

namespace tacho::cli {

/// Writes to standard output at once. Where nobody reads it any more (a pipe into head) the program
/// ends here, quietly; where writing fails otherwise it ends here with one line and code 1.
void print(std::string_view text);

/// "tacho why: what" on standard error, control characters escaped; returns kFailed. `command` may
/// be empty.
int failed(std::string_view command, std::string_view what);
int failed(std::string_view command, const Error& error);
/// The same, returning kWrongUsage.
int usage_error(std::string_view command, std::string_view what);

/// A remark that is no failure, on standard error.
void note(std::string_view command, std::string_view what);

}  // namespace tacho::cli
