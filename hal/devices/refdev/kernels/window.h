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

[[nodiscard]] constexpr std::uint32_t smaller_count(std::uint32_t left, std::uint32_t right) noexcept {
    return (left < right) ? left : right;
}

// `count`, but at least `lowest`, and at most `highest`, which is not below that.
[[nodiscard]] constexpr std::uint32_t clamp_count(std::uint32_t count, std::uint32_t lowest,
                                                  std::uint32_t highest) noexcept {
    return (count < lowest) ? lowest : smaller_count(count, highest);
}

}  // namespace pianola::refdev
