// Inverse square roots in fixed point.
//
// Source of the algorithm: TensorFlow Lite's five steps of Newton's method from 1, with three integer bits. Defined for
// all operands.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::refdev {

// A multiplier and a shift, as Scale takes them.
struct RootScale {
    std::int32_t multiplier;
    std::int32_t shift;
};

// 1 / sqrt(value); 1 for numbers of 1 and below.
[[nodiscard]] constexpr RootScale inverse_square_root(std::int32_t value) noexcept {
    constexpr std::int32_t kOne = 1 << 28;
    constexpr std::int32_t kThreeHalves = kOne + (kOne / 2);
    constexpr std::int32_t kHalfSqrt2 = 1518500250;
    constexpr std::int32_t kLowest = 1 << 27;  // of the steps' start, which is below four times this
    constexpr std::int32_t kShiftOfLowest = 11;
    constexpr std::uint32_t kSteps = 5U;
    // Numbers that give 1 take the same steps as others.
    const std::int32_t one = (value <= 1) ? INT32_MAX : 0;
    std::int32_t shift = kShiftOfLowest;
    std::int32_t scaled = larger_of(value, 2);
    while (scaled >= (4 * kLowest)) {
        scaled /= 4;
        shift += 1;
    }
    while (scaled < kLowest) {
        scaled *= 4;
        shift -= 1;
    }
    const std::int32_t half = rounding_shift_right(scaled / 2, 1U);
    std::int32_t x = kOne;
    for (std::uint32_t i = 0U; i < kSteps; ++i) {
        const std::int32_t square = rounding_doubling_high_multiply(x, x);
        const std::int32_t cube = saturating_shift_left(rounding_doubling_high_multiply(square, x), 6U);
        x = saturating_shift_left(wrapping_subtract(rounding_doubling_high_multiply(kThreeHalves, x),
                                                    rounding_doubling_high_multiply(half, cube)),
                                  3U);
    }
    x = rounding_doubling_high_multiply(x, kHalfSqrt2);
    if (shift < 0) {
        const std::int32_t root = wrapping_shift_left(x, static_cast<std::uint32_t>(-shift));
        return RootScale{static_cast<std::int32_t>(static_cast<std::uint32_t>(root) | static_cast<std::uint32_t>(one)),
                         0};
    }
    return RootScale{x, -shift};
}

}  // namespace pianola::refdev
