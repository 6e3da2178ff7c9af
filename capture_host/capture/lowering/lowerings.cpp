#include "capture_host/capture/lowering/lowerings.h"

#include <algorithm>
#include <array>

#include "capture_host/capture/lowering/pl330.h"

namespace pianola::capture {

const targets::Lowering* find_lowering(const std::string& family) {
    static const std::array<const targets::Lowering*, 1U> kLowerings{
        &pl330::lowering(),
    };
    const auto* const found =
        std::find_if(kLowerings.begin(), kLowerings.end(),
                     [&family](const targets::Lowering* lowering) { return family == lowering->family(); });
    return (found == kLowerings.end()) ? nullptr : *found;
}

}  // namespace pianola::capture
