// Patch: the taps under a convolution's filter at one output pixel, as bytes in the order of the filter's weights.
//
// Reduces the convolution kernel to a plain sum of products. Padding, dilation and groups are resolved here: a tap
// outside the input is minus the input offset, the zero point, which counts as zero.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {

// Constants of all output pixels.
struct PatchGeometry {
    WindowAxis rows;
    WindowAxis columns;
    std::uint32_t input_channels;
    std::uint32_t filter_channels;
    std::uint32_t unit_columns;  // taps along a filter row that are adjacent in memory ...
    std::uint32_t unit_taps;     // ... with their channels
    std::int8_t padding;

    explicit constexpr PatchGeometry(const Conv2dArguments& a) noexcept
        : rows{a.input_height, a.filter_height, a.stride_height, a.dilation_height, a.pad_top},
          columns{a.input_width, a.filter_width, a.stride_width, a.dilation_width, a.pad_left},
          input_channels{a.input_channels},
          filter_channels{a.filter_channels},
          unit_columns{((a.dilation_width == 1U) && (a.filter_channels == a.input_channels)) ? a.filter_width : 1U},
          unit_taps{unit_columns * a.filter_channels},
          padding{static_cast<std::int8_t>(-a.input_offset)} {}
};

// Copies taps [first, first + count) of the patch of one output pixel. `input` points to the first channel of the group
// in pixel (0, 0) of the batch.
void copy_patch(const PatchGeometry& geometry, const std::int8_t* input, std::uint32_t output_row,
                std::uint32_t output_column, std::uint32_t first, std::uint32_t count, std::int8_t* taps) noexcept;

}  // namespace pianola::refdev
