// Lead of kernels with sliding windows.
//
// Such a kernel computes its output pixel by pixel, in the order of memory. The bytes before an output pixel are
// written; those before the first input pixel under its window are read no more. The most by which the former exceed
// the latter is the lead, if the pixels that are computed together are all read before one of them is written. It is a
// sum over batches, rows and columns, because each has a lead that does not depend on the others' positions; and where
// one of them starts again, the lead is that of the next position of the one above it.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {

struct WindowedImages {
    std::uint32_t batches;
    WindowAxis rows;
    WindowAxis columns;
    std::uint32_t output_height;
    std::uint32_t output_width;
    std::uint64_t input_pixel;  // bytes
    std::uint64_t output_pixel;
};

// Operands are below 2^31 bytes each, or the launch is refused for another reason.
[[nodiscard]] std::uint64_t lead_of(const WindowedImages& images) noexcept;

// Of a kernel whose output may overlap no operand at this or a smaller distance: more than an operand's size.
inline constexpr std::uint64_t kWholeLead = kMaxOperandBytes + 1U;

}  // namespace pianola::refdev
