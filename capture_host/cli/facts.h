// Facts about a binary that `verify`, `inspect` and `receipt check` report alike: self-tests, state, and the kinds of
// core that its weights are packed for. Other cores refuse packed weights; the simulator reads all layouts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "hal/host/target.h"
#include "pianola/command_set.h"
#include "pianola/image.h"

namespace pianola::cli {

// Foreign text as JSON writes it: in ASCII, and without control characters of terminals.
[[nodiscard]] std::string printable(const nlohmann::json& text);

// Members `self_tests` and `state`, as in the statement of a receipt; left out if empty. State is reported only
// with the command set of an image that the validator accepts.
[[nodiscard]] nlohmann::json evidence_of(const Image& image, const CommandSet* command_set);

// Lines for the members `self_tests` and `state`; empty if there is neither.
[[nodiscard]] std::string evidence_text(const nlohmann::json& statement);

// [{"layout": "mve", "commands": 3}], as `capture --pack` calls layouts; empty where every core reads all weights. Of
// the commands that can be decoded.
[[nodiscard]] nlohmann::json packing_of(const Target& target, const Image& image);

// "mve (3 commands)"; empty as the list is.
[[nodiscard]] std::string packing_text(const nlohmann::json& packing);

}  // namespace pianola::cli
