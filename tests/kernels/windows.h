// Random windows of convolutions, and the taps of a window by their definition, whatever the elements' type.
#pragma once

#include <random>

#include "tests/kernels/launch.h"

namespace pianola::refdev {

inline std::uint32_t pick(std::mt19937& random, std::uint32_t lowest, std::uint32_t highest) {
    return lowest + static_cast<std::uint32_t>(random() % (highest - lowest + 1U));
}

// The largest of each number of a window. The least is 1, or 0 for padding.
struct WindowLimits {
    std::uint32_t input;
    std::uint32_t output;
    std::uint32_t filter_height;
    std::uint32_t filter_width;
    std::uint32_t stride;
    std::uint32_t dilation_height;
    std::uint32_t dilation_width;
    std::uint32_t pad;
};

// All of a convolution's geometry but its channels.
template <typename Window>
void pick_window(Window& a, std::mt19937& random, const WindowLimits& most) {
    a.batches = pick(random, 1U, 2U);
    a.input_height = pick(random, 1U, most.input);
    a.input_width = pick(random, 1U, most.input);
    a.output_height = pick(random, 1U, most.output);
    a.output_width = pick(random, 1U, most.output);
    a.filter_height = pick(random, 1U, most.filter_height);
    a.filter_width = pick(random, 1U, most.filter_width);
    a.stride_height = pick(random, 1U, most.stride);
    a.stride_width = pick(random, 1U, most.stride);
    a.dilation_height = pick(random, 1U, most.dilation_height);
    a.dilation_width = pick(random, 1U, most.dilation_width);
    a.pad_top = pick(random, 0U, most.pad);
    a.pad_left = pick(random, 0U, most.pad);
}

// One axis of a window: the input position of a tap, or -1 outside.
inline std::int64_t position(std::uint32_t output, std::uint32_t stride, std::uint32_t tap, std::uint32_t dilation,
                             std::uint32_t pad, std::uint32_t size) {
    const std::int64_t at = (std::int64_t{output} * stride) + (std::int64_t{tap} * dilation) - pad;
    return (at < size) ? std::max<std::int64_t>(at, -1) : -1;
}

// Calls visit(tap, first) for each tap of an output pixel that lies inside the input; `first` is the index of the
// first channel of the input pixel, `pixel` counts over batches, rows and columns of the output.
template <typename Window, typename Visit>
void each_tap(const Window& a, std::uint32_t pixel, const Visit& visit) {
    const std::uint32_t column = pixel % a.output_width;
    const std::uint32_t row = (pixel / a.output_width) % a.output_height;
    const std::uint32_t batch = pixel / (a.output_width * a.output_height);
    for (std::uint32_t tap = 0U; tap < (a.filter_height * a.filter_width); ++tap) {
        const std::int64_t y =
            position(row, a.stride_height, tap / a.filter_width, a.dilation_height, a.pad_top, a.input_height);
        const std::int64_t x =
            position(column, a.stride_width, tap % a.filter_width, a.dilation_width, a.pad_left, a.input_width);
        if ((y >= 0) && (x >= 0)) {
            const std::uint32_t input_row = (batch * a.input_height) + static_cast<std::uint32_t>(y);
            visit(tap, ((input_row * a.input_width) + static_cast<std::uint32_t>(x)) * a.input_channels);
        }
    }
}

template <typename Window>
std::uint32_t output_pixels(const Window& a) {
    return a.batches * a.output_height * a.output_width;
}

}  // namespace pianola::refdev
