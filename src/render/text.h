// The one place where a message of the lower folders becomes a sentence for people.
#pragma once

#include <string>
#include <string_view>

#include "base/message.h"
#include "sample/value.h"

namespace tacho {

/// The sentence for a message id in the user's language; the id itself, which is English, where
/// there is no translation. Every sentence shown goes through here.
[[nodiscard]] std::string_view translate(std::string_view id);

/// The sentence with its arguments put in. Arguments may come from outside: they are escaped. A {}
/// without an argument stays; arguments without a {} are left out.
[[nodiscard]] std::string to_text(const Message& message);

/// "no permission": why a figure is absent, for people.
[[nodiscard]] std::string to_text(Absent reason);

}  // namespace tacho
