// The kinds of core that a binary holds packed weights for: others refuse it.
//
// `inspect` and `verify` report them. The host's verdict cannot, because the simulator reads all.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "hal/host/target.h"
#include "pianola/image.h"

namespace pianola::cli {

// [{"layout": "mve", "commands": 3}], as `capture --pack` calls layouts; empty where every core reads all weights. Of
// the commands that can be decoded.
[[nodiscard]] nlohmann::json packing_of(const Target& target, const Image& image);

// "mve (3 commands)"; empty as the list is.
[[nodiscard]] std::string packing_text(const nlohmann::json& packing);

}  // namespace pianola::cli
