// Checks of a layer with a filter, for every type of activations.
//
// The words are within their ranges already; these are the relations between them, and the operands.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {

struct LayerElements {
    std::uint32_t activation_bytes;  // 1 or 2
    std::uint32_t parameters_bytes;  // of a channel

    [[nodiscard]] constexpr bool are_bytes() const noexcept { return activation_bytes == 1U; }
    [[nodiscard]] constexpr bool are_aligned(std::uint32_t address) const noexcept {
        return (address & (activation_bytes - 1U)) == 0U;
    }
};
inline constexpr LayerElements kInt8Elements{1U, kChannelParametersBytes};

Status check_layer(const FullyConnectedArguments& a, const LayerElements& elements, LaunchCheck& check) noexcept;
Status check_layer(const Conv2dArguments& a, const LayerElements& elements, LaunchCheck& check) noexcept;
Status check_layer(const DepthwiseConv2dArguments& a, const LayerElements& elements, LaunchCheck& check) noexcept;

}  // namespace pianola::refdev
