// The devices that could execute a binary here, for `pianola devices` and `pianola doctor`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pianola_host/targets.h"

namespace pianola::cli {

// {"devices": [...]}, and "no_NAME" of every executor: why it has no device, or null.
[[nodiscard]] nlohmann::json list_devices(const targets::Targets& targets);
// A line for each, after the indent.
[[nodiscard]] std::string devices_text(const nlohmann::json& devices, const targets::Targets& targets,
                                       const std::string& indent = {});

}  // namespace pianola::cli
