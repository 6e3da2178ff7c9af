#include "hal/arch/window_check.h"

#include <cstddef>
#include <cstdint>

namespace pianola::protection {
namespace {

// Neither window wraps: is_supported() has checked both.
bool overlap(const Window& first, const Window& second) noexcept {
    const bool first_is_lower = first.base <= second.base;
    const Window& lower = first_is_lower ? first : second;
    const Window& upper = first_is_lower ? second : first;
    return (upper.base - lower.base) < lower.size_bytes;
}

}  // namespace

bool is_well_formed(const Window& window) noexcept {
    const bool on_granules = ((window.base % kGranuleBytes) == 0U) && ((window.size_bytes % kGranuleBytes) == 0U);
    return on_granules && (window.size_bytes != 0U) && ((window.size_bytes - 1U) <= (UINTPTR_MAX - window.base));
}

Status check_windows(Span<const Window> windows) noexcept {
    if (windows.size() > capacity()) {
        return Status::kCapacity;
    }
    for (std::size_t index = 0U; index < windows.size(); ++index) {
        if (!is_supported(windows[index])) {
            return Status::kInvalidArgument;
        }
        for (std::size_t earlier = 0U; earlier < index; ++earlier) {
            if (overlap(windows[earlier], windows[index])) {
                return Status::kInvalidArgument;
            }
        }
    }
    return Status::kOk;
}

}  // namespace pianola::protection
