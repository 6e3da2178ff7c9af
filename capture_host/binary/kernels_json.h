// The kernels that a binary names, as JSON: in receipts and in manifests.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "pianola_host/manifest.h"

namespace pianola::capture {

[[nodiscard]] nlohmann::json kernels_to_json(const std::vector<ManifestKernel>& kernels);

}  // namespace pianola::capture
