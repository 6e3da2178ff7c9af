// Requantisation: from a sum of products to the int8 element of the output.
//
// The last step of the fully connected and convolution kernels. Scale and OutputRange define the result; if every
// channel of a launch meets its conditions, a shorter form computes the same.
//
// The short form. Both roundings of Scale for shift <= -1, with s = -shift and m the multiplier, are
//     t = floor((sum * m + 2^30) / 2^31)
//     floor((t + 2^(s-1) - [t < 0]) / 2^s)
// For m >= 0, [t < 0] may be taken from the sum: the two differ only for t = 0, where both give 0. The output's zero
// point z is a whole number, so z * 2^s may be added before the division; z * 2^s + 2^(s-1) is (2z + 1) * 2^(s-1). With
// |sum| < 2^30 and s <= 22 nothing overflows: |t| <= 2^30 and |(2z + 1) * 2^(s-1)| < 2^29.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::refdev {

// Largest products of a tap and a weight, in magnitude: 255 * 128, and 255 * 255 if weights have an offset as well.
inline constexpr std::uint64_t kLargestProduct = 0x8000U;
inline constexpr std::uint64_t kLargestOffsetProduct = 0x1'0000U;

// Whether saturation to int8 is all that a range needs.
[[nodiscard]] constexpr bool is_int8_range(std::int32_t lowest, std::int32_t highest) noexcept {
    return (lowest == INT8_MIN) && (highest == INT8_MAX);
}

struct Requantisation {
    std::int32_t offset;
    std::int32_t lowest;
    std::int32_t highest;
    bool is_short;  // the short form is exact for every channel

    [[nodiscard]] bool is_int8() const noexcept { return is_int8_range(lowest, highest); }
};

// One of the words of a channel's ChannelParameters. `parameters` points to the first channel's in device memory, with
// any alignment here.
template <std::size_t kOffset>
[[nodiscard]] inline std::int32_t parameter_of(const std::int8_t* parameters, std::size_t channel) noexcept {
    std::int32_t word = 0;
    std::memcpy(&word, parameters + (channel * kChannelParametersBytes) + kOffset, sizeof(word));
    return word;
}
[[nodiscard]] inline std::int32_t bias_of(const std::int8_t* parameters, std::size_t channel) noexcept {
    return parameter_of<offsetof(ChannelParameters, bias)>(parameters, channel);
}
[[nodiscard]] inline std::int32_t multiplier_of(const std::int8_t* parameters, std::size_t channel) noexcept {
    return parameter_of<offsetof(ChannelParameters, multiplier)>(parameters, channel);
}
[[nodiscard]] inline std::int32_t shift_of(const std::int8_t* parameters, std::size_t channel) noexcept {
    return parameter_of<offsetof(ChannelParameters, shift)>(parameters, channel);
}

// True if the short form is exact for sums of products that are at most `largest_sum` in magnitude.
[[nodiscard]] bool is_short_form_exact(const std::int8_t* parameters, std::uint32_t channels,
                                       std::uint64_t largest_sum) noexcept;

// Number of bits that a right shift by -shift drops below the rounding bit. Parameters are in memory, and may have
// changed since they were checked: the result is defined for any value.
[[nodiscard]] constexpr std::uint32_t bits_before_last(std::int32_t shift) noexcept {
    constexpr std::uint32_t kMostBits = 31U;
    return (0U - static_cast<std::uint32_t>(shift) - 1U) & kMostBits;
}

// Scale::apply() and adding the output's zero point, in the short form; shift is below 0.
[[nodiscard]] constexpr std::int32_t scale_short(std::int32_t sum, std::int32_t multiplier, std::int32_t shift,
                                                 std::int32_t offset) noexcept {
    constexpr std::int64_t kHalf = 0x8000'0000U;
    constexpr std::uint32_t kHigh = 32U;
    constexpr std::uint32_t kSign = 31U;
    const std::uint32_t before_last = bits_before_last(shift);
    const std::int32_t nudge =
        wrapping_add(wrapping_shift_left((2 * offset) + 1, before_last), floor_shift_right(sum, kSign));
    const std::int64_t product = (static_cast<std::int64_t>(wrapping_shift_left(sum, 1U)) * multiplier) + kHalf;
    const auto scaled = static_cast<std::int32_t>(floor_shift_right(product, kHigh));
    return floor_shift_right(floor_shift_right(wrapping_add(scaled, nudge), before_last), 1U);
}

// The long form: Scale::apply() for any parameters, in fewer steps. The one product that does not fit, of INT32_MIN and
// INT32_MIN, wraps to INT32_MIN; adding its sign wraps to INT32_MAX, which is what saturation gives.
[[nodiscard]] constexpr std::int32_t scale_long(std::int32_t sum, std::int32_t multiplier,
                                                std::int32_t shift) noexcept {
    constexpr std::int64_t kHalf = 0x4000'0000;
    constexpr std::uint32_t kSign = 31U;
    const std::int32_t left = clamp_to(shift, 0, kMaxShift);
    const std::int32_t shifted = wrapping_shift_left(sum, static_cast<std::uint32_t>(left));
    const auto high =
        static_cast<std::int32_t>(floor_shift_right((static_cast<std::int64_t>(shifted) * multiplier) + kHalf, 31U));
    const std::int32_t signed_high = wrapping_add(high, floor_shift_right(high, kSign));
    if (shift >= 0) {
        return wrapping_subtract(signed_high, floor_shift_right(signed_high, kSign));
    }
    const auto before_last = static_cast<std::uint32_t>(-larger_of(shift, kMinShift) - 1);
    const std::int32_t doubled = floor_shift_right(signed_high, before_last);
    return floor_shift_right(doubled, 1U) + static_cast<std::int32_t>(static_cast<std::uint32_t>(doubled) & 1U);
}

// The element of a channel, for a sum that includes the bias.
[[nodiscard]] inline std::int8_t requantise_long(std::int32_t sum, const std::int8_t* parameters, std::size_t channel,
                                                 const Requantisation& r) noexcept {
    const std::int32_t scaled = scale_long(sum, multiplier_of(parameters, channel), shift_of(parameters, channel));
    return OutputRange{r.offset, r.lowest, r.highest}.place(scaled);
}
// Only where the short form is exact.
[[nodiscard]] inline std::int8_t requantise_short(std::int32_t sum, const std::int8_t* parameters, std::size_t channel,
                                                  const Requantisation& r) noexcept {
    const std::int32_t scaled =
        scale_short(sum, multiplier_of(parameters, channel), shift_of(parameters, channel), r.offset);
    // First saturates to the element's type, for which some cores have an instruction.
    const std::int32_t fitting = clamp_to(scaled, INT8_MIN, INT8_MAX);
    return static_cast<std::int8_t>(clamp_to(fitting, r.lowest, r.highest));
}
[[nodiscard]] inline std::int8_t requantise(std::int32_t sum, const std::int8_t* parameters, std::size_t channel,
                                            const Requantisation& r) noexcept {
    return r.is_short ? requantise_short(sum, parameters, channel, r) : requantise_long(sum, parameters, channel, r);
}

}  // namespace pianola::refdev
