// The result of a driver call, as a status and as text for refusals.
//
// Used by all code of hal/devices/refdev/vulkan that calls the driver.
#pragma once

#include <vulkan/vulkan_core.h>

#include "pianola/status.h"

namespace pianola::vulkan {

// A call that did not succeed.
struct DriverFailure {
    const char* call{nullptr};  // nullptr: none; static lifetime
    VkResult result{VK_SUCCESS};
};

// kOk; kCapacity: out of memory or of a limited resource; kDeviceFault: the device is lost; kInternal: everything else.
[[nodiscard]] Status status_of(VkResult result) noexcept;

// Spelled as in the specification; "an unknown result" for results that calls of this device do not return.
[[nodiscard]] const char* name_of(VkResult result) noexcept;

}  // namespace pianola::vulkan
