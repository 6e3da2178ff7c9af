// Rows of exponentials: exp(element - largest) of each, and their sum.
//
// Qm.n is a 32-bit number with m integer and n fractional bits. Total.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/exponential.h"

namespace pianola::refdev {

struct DifferenceScale {
    std::int32_t multiplier;
    std::int32_t left_shift;
    std::int32_t least;  // differences below count as exp(...) = 0

    // Difference to the largest element, Q5.26.
    [[nodiscard]] std::int32_t apply(std::int32_t difference) const noexcept {
        const std::int32_t shifted = wrapping_shift_left(difference, static_cast<std::uint32_t>(left_shift));
        return rounding_doubling_high_multiply(shifted, multiplier);
    }
    // exp() of it, Q0.31.
    [[nodiscard]] std::int32_t exponential(std::int32_t difference) const noexcept {
        return exp_of_negative<5U>(apply(difference));
    }
};

inline constexpr std::uint32_t kRowSumIntegerBits = 12U;

struct RowSum {
    std::int32_t largest;
    std::int32_t sum;  // Q12.19: at least 1, as long as the row is at most 4095
};

[[nodiscard]] inline RowSum row_sum(const DifferenceScale& scale, const std::int8_t* input,
                                    std::uint32_t depth) noexcept {
    RowSum row{INT8_MIN, 0};
    for (std::uint32_t i = 0U; i < depth; ++i) {
        row.largest = larger_of(row.largest, input[i]);
    }
    for (std::uint32_t i = 0U; i < depth; ++i) {
        const std::int32_t difference = input[i] - row.largest;
        if (difference >= scale.least) {
            row.sum = wrapping_add(row.sum, rounding_shift_right(scale.exponential(difference), kRowSumIntegerBits));
        }
    }
    return row;
}

}  // namespace pianola::refdev
