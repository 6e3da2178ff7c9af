// Shared by average and maximum pooling: argument checks, and the loops over windows and channels.
//
// Arguments are Pool2dArguments. Extents, in order: input (read), output (written, shares no byte with the input).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kPoolChannelBlock = 32U;

// The taps of one window that are inside the input, for a block of channels. There is at least one.
struct PoolWindow {
    const std::int8_t* input;  // first channel of the block, in the first tap
    std::uint32_t rows;
    std::uint32_t columns;
    std::size_t row_stride;  // bytes
    std::size_t column_stride;
    std::uint32_t channels;  // 1 to kPoolChannelBlock

    [[nodiscard]] const std::int8_t* tap(std::uint32_t row, std::uint32_t column) const noexcept {
        return input + (row * row_stride) + (column * column_stride);
    }
};

// Reduces a window to one element per channel.
using PoolReduce = void (*)(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept;

Status compute_pool2d(WordSpan arguments, const BoundOperands& bound, PoolReduce reduce) noexcept;

}  // namespace pianola::refdev
