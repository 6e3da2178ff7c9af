// What is printed of a binary's self-tests and state.
//
// `verify`, `inspect` and `receipt check` say the same.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pianola/command_set.h"
#include "pianola/image.h"

namespace pianola::cli {

// Foreign text as JSON writes it: in ASCII, and without control characters of terminals.
[[nodiscard]] std::string printable(const nlohmann::json& text);

// Members `self_tests` and `state`, as in the statement of a receipt, where there is something to say. Of state only
// with the command set of an image that the validator accepts.
[[nodiscard]] nlohmann::json evidence_of(const Image& image, const CommandSet* command_set);

// Lines of the members `self_tests` and `state`; empty where there is neither.
[[nodiscard]] std::string evidence_text(const nlohmann::json& statement);

}  // namespace pianola::cli
