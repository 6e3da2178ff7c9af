// What a call of the driver came to: as a status, and in words for refusals.
//
// Place in the whole: everything of hal/devices/refdev/vulkan that calls the driver and can fail.
#pragma once

#include <vulkan/vulkan_core.h>

#include "pianola/status.h"

namespace pianola::vulkan {

// A call that did not succeed.
struct DriverFailure {
    const char* call{nullptr};  // nullptr: none; static lifetime
    VkResult result{VK_SUCCESS};
};

// kOk; kCapacity: out of memory, or of what there is a limited number of; kDeviceFault: the device is lost; kInternal:
// everything else.
[[nodiscard]] Status status_of(VkResult result) noexcept;

// As the specification spells it; "an unknown result" for what calls of this device do not come to.
[[nodiscard]] const char* name_of(VkResult result) noexcept;

}  // namespace pianola::vulkan
