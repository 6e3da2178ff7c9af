// The part of the stand-in that needs exponentials: softmax with the project's own arithmetic.
#include <algorithm>
#include <cstdint>

#include "hal/devices/refdev/kernels/exponential.h"
#include "hal/devices/refdev/kernels/fixed_point.h"

extern "C" void arm_softmax_s8(const std::int8_t* input, std::int32_t rows, std::int32_t row_size,
                               std::int32_t multiplier, std::int32_t shift, std::int32_t least_difference,
                               std::int8_t* output) noexcept;

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kSumIntegerBits = 12U;
constexpr std::int32_t kOutputFractionalBits = 8;

// One row: differences to its largest element, scaled.
struct Row {
    const std::int8_t* elements;
    std::int32_t largest;
    std::int32_t multiplier;
    std::int32_t shift;
    std::int32_t least_difference;

    [[nodiscard]] std::int32_t difference(std::int32_t i) const noexcept { return std::int32_t{elements[i]} - largest; }
    [[nodiscard]] bool counts(std::int32_t i) const noexcept { return difference(i) >= least_difference; }
    [[nodiscard]] std::int32_t exponential(std::int32_t i) const noexcept {
        const std::int32_t scaled = difference(i) * (1 << static_cast<std::uint32_t>(shift));
        return exp_of_negative<5U>(rounding_doubling_high_multiply(scaled, multiplier));
    }
};

[[nodiscard]] std::uint32_t leading_zeros(std::uint32_t value) noexcept {
    std::uint32_t zeros = 0U;
    for (std::uint32_t rest = value; rest < (1U << 31U); rest <<= 1U) {
        zeros += 1U;
    }
    return zeros;
}

void softmax(const Row& row, std::int32_t size, std::int8_t* output) noexcept {
    std::int32_t sum = 0;
    for (std::int32_t i = 0; i < size; ++i) {
        sum += row.counts(i) ? rounding_shift_right(row.exponential(i), kSumIntegerBits) : 0;
    }
    const std::uint32_t zeros = leading_zeros(static_cast<std::uint32_t>(sum));
    const std::uint32_t mantissa = static_cast<std::uint32_t>(sum) << zeros;
    const std::int32_t scale = one_over_one_plus(static_cast<std::int32_t>(mantissa - (1U << 31U)));
    const std::uint32_t bits = (kSumIntegerBits - zeros) + (31U - kOutputFractionalBits);
    for (std::int32_t i = 0; i < size; ++i) {
        const std::int32_t share =
            row.counts(i) ? rounding_shift_right(rounding_doubling_high_multiply(scale, row.exponential(i)), bits) : 0;
        output[i] = static_cast<std::int8_t>(clamp_to(share + INT8_MIN, INT8_MIN, INT8_MAX));
    }
}

}  // namespace
}  // namespace pianola::refdev

extern "C" void arm_softmax_s8(const std::int8_t* input, std::int32_t rows, std::int32_t row_size,
                               std::int32_t multiplier, std::int32_t shift, std::int32_t least_difference,
                               std::int8_t* output) noexcept {
    for (std::int32_t row = 0; row < rows; ++row) {
        const std::int8_t* const from = &input[row * row_size];
        std::int8_t largest = INT8_MIN;
        for (std::int32_t i = 0; i < row_size; ++i) {
            largest = std::max(largest, from[i]);
        }
        pianola::refdev::softmax({from, std::int32_t{largest}, multiplier, shift, least_difference}, row_size,
                                 &output[row * row_size]);
    }
}
