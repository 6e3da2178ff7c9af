// Pooling and means by their definitions, on random elements of int8 or int16.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/kernels/launch.h"

namespace pianola::refdev {

// Elements of each pooling window, in order of the output.
inline std::vector<std::vector<std::int32_t>> pool_windows(SmallDevice& device, const Pool2dArguments& a) {
    std::vector<std::vector<std::int32_t>> windows;
    for (std::uint32_t output = 0U; output < (a.batches * a.output_height * a.output_width * a.channels); ++output) {
        const std::uint32_t pixel = output / a.channels;
        const std::uint32_t row = (pixel / a.output_width) % a.output_height;
        const std::uint32_t batch = pixel / (a.output_width * a.output_height);
        std::vector<std::int32_t> window;
        for (std::uint32_t at = 0U; at < (a.input_height * a.input_width); ++at) {
            const std::uint32_t tap_y = (at / a.input_width) + a.pad_top - (row * a.stride_height);
            const std::uint32_t tap_x = (at % a.input_width) + a.pad_left - ((pixel % a.output_width) * a.stride_width);
            if ((tap_y < a.filter_height) && (tap_x < a.filter_width)) {
                const std::uint32_t image = (batch * a.input_height * a.input_width) + at;
                window.push_back(device.typed(a.type, a.input, (image * a.channels) + (output % a.channels)));
            }
        }
        windows.push_back(window);
    }
    return windows;
}

inline void expect_largest(SmallDevice& device, std::mt19937& random, const Pool2dArguments& a) {
    device.randomise(random);
    ASSERT_EQ(device.run(KernelId::kMaxPool2d, words_of(a)), Status::kOk);
    std::uint32_t at = 0U;
    for (const std::vector<std::int32_t>& window : pool_windows(device, a)) {
        const std::int32_t largest = *std::max_element(window.begin(), window.end());
        ASSERT_EQ(device.typed(a.type, a.output, at), std::clamp(largest, a.activation_min, a.activation_max));
        at += 1U;
    }
}

// Halves are rounded away from zero; `halves` counts them.
inline void expect_averages(SmallDevice& device, std::mt19937& random, const Pool2dArguments& a,
                            std::uint32_t& halves) {
    device.randomise(random);
    ASSERT_EQ(device.run(KernelId::kAveragePool2d, words_of(a)), Status::kOk);
    std::uint32_t at = 0U;
    for (const std::vector<std::int32_t>& window : pool_windows(device, a)) {
        const double mean = std::accumulate(window.begin(), window.end(), 0) / static_cast<double>(window.size());
        halves += (std::fabs(mean - std::trunc(mean)) == 0.5) ? 1U : 0U;
        ASSERT_EQ(device.typed(a.type, a.output, at),
                  std::clamp(static_cast<std::int32_t>(std::round(mean)), a.activation_min, a.activation_max));
        at += 1U;
    }
}

// Over every subset of the axes; results are from `lowest` to `highest`.
inline void expect_means(SmallDevice& device, std::mt19937& random, MeanArguments a, std::int64_t lowest,
                         std::int64_t highest) {
    for (std::uint32_t axes = 1U; axes < 16U; ++axes) {
        a.reduced_axes = axes;
        device.randomise(random);
        std::vector<std::int32_t> sums(std::size_t{a.dims[0]} * a.dims[1] * a.dims[2] * a.dims[3]);
        std::uint32_t outputs = 0U;
        for (std::uint32_t i = 0U; i < sums.size(); ++i) {
            std::uint32_t rest = i;
            std::uint32_t output = 0U;
            std::uint32_t step = 1U;
            for (std::uint32_t axis = 4U; axis-- > 0U;) {
                const std::uint32_t coordinate = rest % a.dims.at(axis);
                rest /= a.dims.at(axis);
                if (((axes >> axis) & 1U) == 0U) {
                    output += coordinate * step;
                    step *= a.dims.at(axis);
                }
            }
            sums.at(output) += device.typed(a.type, a.input, i) - a.input_zero_point;
            outputs = step;
        }
        ASSERT_EQ(device.run(KernelId::kMean, words_of(a)), Status::kOk);
        for (std::uint32_t i = 0U; i < outputs; ++i) {
            const std::int64_t mean = published_rescale(sums[i], a.multiplier, a.shift) + a.output_zero_point;
            ASSERT_EQ(device.typed(a.type, a.output, i), std::clamp(mean, lowest, highest)) << axes << " " << i;
        }
    }
}

// The sum of a row's exponentials, of int8 in sixteenths.
inline double sum_of_exponentials(SmallDevice& device, std::uint32_t row, std::uint32_t depth) {
    double sum = 0.0;
    for (std::uint32_t i = 0U; i < depth; ++i) {
        sum += std::exp(device.element(row + i) / 16.0);
    }
    return sum;
}

}  // namespace pianola::refdev
