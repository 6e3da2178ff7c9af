// Plugins: targets in shared objects. Internal to targets.
#pragma once

#include <string>

#include "hal/devices/target.h"
#include "pianola/sha256.h"

namespace pianola::targets {

struct LoadedPlugin {
    const Target* target{nullptr};
    Sha256Digest digest{};  // of the file
};

// Loads the shared object, which stays loaded. Throws PluginError.
[[nodiscard]] LoadedPlugin load_plugin(const std::string& file_name);

}  // namespace pianola::targets
