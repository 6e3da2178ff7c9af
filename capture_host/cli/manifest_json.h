// A manifest as JSON.
//
// `pianola inspect --json` and the shared library print it.
#pragma once

#include <nlohmann/json.hpp>

#include "pianola_host/manifest.h"

namespace pianola::cli {

// All that a manifest says, with the members of docs/reference/schemas/inspect.json. Of self-tests their number.
[[nodiscard]] nlohmann::json manifest_to_json(const capture::Manifest& manifest);

}  // namespace pianola::cli
