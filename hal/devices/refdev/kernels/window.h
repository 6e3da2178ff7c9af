// Which taps of a sliding window lie inside the input, along one axis.
//
// The border handling of convolutions and pooling, done once per output position instead of once per tap.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::refdev {

// One axis of a sliding window. All members are at most kMaxSpatial, so positions fit in 32 signed bits.
struct WindowAxis {
    std::uint32_t input_size;
    std::uint32_t filter_size;
    std::uint32_t stride;
    std::uint32_t dilation;
    std::uint32_t pad_before;

    // Input position of tap 0 of the window for an output position; may lie outside the input.
    [[nodiscard]] constexpr std::int32_t origin(std::uint32_t output_position) const noexcept {
        return static_cast<std::int32_t>(output_position * stride) - static_cast<std::int32_t>(pad_before);
    }
};

// Taps [first, end) are inside the input; first == end if none is.
struct TapRange {
    std::uint32_t first;
    std::uint32_t end;

    [[nodiscard]] constexpr std::uint32_t count() const noexcept { return end - first; }
};

// The smallest number of steps of `step` that cover `distance`; 0 if distance is not positive.
[[nodiscard]] constexpr std::uint32_t steps_to_cover(std::int32_t distance, std::uint32_t step) noexcept {
    if (distance <= 0) {
        return 0U;
    }
    const std::uint32_t length = static_cast<std::uint32_t>(distance);
    return (step == 1U) ? length : ((length + (step - 1U)) / step);
}

[[nodiscard]] constexpr TapRange taps_inside(const WindowAxis& axis, std::int32_t origin) noexcept {
    const std::uint32_t before = steps_to_cover(-origin, axis.dilation);
    const std::uint32_t until = steps_to_cover(static_cast<std::int32_t>(axis.input_size) - origin, axis.dilation);
    const std::uint32_t end = (until < axis.filter_size) ? until : axis.filter_size;
    return TapRange{(before < end) ? before : end, end};
}

// Whether every tap is inside the input.
[[nodiscard]] constexpr bool is_inside(const WindowAxis& axis, std::int32_t origin) noexcept {
    const std::int32_t last = origin + static_cast<std::int32_t>((axis.filter_size - 1U) * axis.dilation);
    return (origin >= 0) && (last < static_cast<std::int32_t>(axis.input_size));
}

// How many of the first `positions` windows begin less than `distance` bytes, or elements, after the padding's start.
[[nodiscard]] constexpr std::uint32_t windows_before(const WindowAxis& axis, std::int32_t distance,
                                                     std::uint32_t positions) noexcept {
    const std::uint32_t count = steps_to_cover(distance, axis.stride);
    return (count < positions) ? count : positions;
}

// Sum of (offset + i * factor) / divisor, each rounded down, for i below `count`: as many steps as Euclid's algorithm
// takes for factor and divisor. These two and count are at most kMaxSpatial, so that products of two have 32 bits.
[[nodiscard]] constexpr std::uint64_t sum_of_quotients(std::uint32_t count, std::uint32_t factor, std::uint32_t offset,
                                                       std::uint32_t divisor) noexcept {
    constexpr std::uint32_t kMostSteps = 32U;
    std::uint64_t sum = 0U;
    for (std::uint32_t step = 0U; (step < kMostSteps) && (count != 0U); ++step) {
        const std::uint32_t factor_rest = factor % divisor;
        const std::uint32_t offset_rest = offset % divisor;
        sum += (std::uint64_t{((count - 1U) * count) / 2U} * (factor / divisor)) +
               (std::uint64_t{count} * (offset / divisor));
        const std::uint32_t last = (count * factor_rest) + offset_rest;
        count = last / divisor;
        offset = last % divisor;
        factor = divisor;
        divisor = factor_rest;
    }
    return sum;
}

// Sum of windows_before(distance - tap * dilation), over the taps.
[[nodiscard]] constexpr std::uint64_t windows_before_taps(const WindowAxis& axis, std::uint32_t distance,
                                                          std::uint32_t positions) noexcept {
    if ((distance == 0U) || (positions == 0U)) {
        return 0U;
    }
    const std::uint32_t to_last = (positions - 1U) * axis.stride;
    const std::uint32_t reached = ((distance - 1U) / axis.dilation) + 1U;
    const std::uint32_t taps = (reached < axis.filter_size) ? reached : axis.filter_size;
    // The first taps are before all windows.
    const std::uint32_t all = (distance > to_last) ? (((distance - to_last - 1U) / axis.dilation) + 1U) : 0U;
    const std::uint32_t whole = (all < taps) ? all : taps;
    const std::uint32_t least = distance - ((taps - 1U) * axis.dilation);
    return (std::uint64_t{whole} * positions) +
           sum_of_quotients(taps - whole, axis.dilation, least + (axis.stride - 1U), axis.stride);
}

// Over `positions` windows along the axis: the taps inside the input.
[[nodiscard]] constexpr std::uint64_t taps_inside_all(const WindowAxis& axis, std::uint32_t positions) noexcept {
    return windows_before_taps(axis, axis.pad_before + axis.input_size, positions) -
           windows_before_taps(axis, axis.pad_before, positions);
}

// Likewise, the windows with a tap inside the input.
[[nodiscard]] constexpr std::uint64_t windows_touching(const WindowAxis& axis, std::uint32_t positions) noexcept {
    if (axis.input_size < axis.dilation) {
        return taps_inside_all(axis, positions);  // no window has two
    }
    const auto pad = static_cast<std::int32_t>(axis.pad_before);
    const auto to_last = static_cast<std::int32_t>((axis.filter_size - 1U) * axis.dilation);
    return windows_before(axis, pad + static_cast<std::int32_t>(axis.input_size), positions) -
           windows_before(axis, pad - to_last, positions);
}

// Likewise, the windows all of whose taps are inside the input.
[[nodiscard]] constexpr std::uint64_t windows_inside(const WindowAxis& axis, std::uint32_t positions) noexcept {
    const auto pad = static_cast<std::int32_t>(axis.pad_before);
    const auto to_last = static_cast<std::int32_t>((axis.filter_size - 1U) * axis.dilation);
    const std::uint32_t end =
        windows_before(axis, pad + static_cast<std::int32_t>(axis.input_size) - to_last, positions);
    const std::uint32_t first = windows_before(axis, pad, positions);
    return (first < end) ? (end - first) : 0U;
}

[[nodiscard]] constexpr std::uint32_t smaller_count(std::uint32_t left, std::uint32_t right) noexcept {
    return (left < right) ? left : right;
}

// `count`, but at least `lowest`, and at most `highest`, which is not below that.
[[nodiscard]] constexpr std::uint32_t clamp_count(std::uint32_t count, std::uint32_t lowest,
                                                  std::uint32_t highest) noexcept {
    return (count < lowest) ? lowest : smaller_count(count, highest);
}

}  // namespace pianola::refdev
