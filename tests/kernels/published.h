// The rescaling of the int8 scheme as published, for tests on the host and on boards: no heap, nothing of the kernels.
#pragma once

#include <cstdint>

namespace pianola::refdev {

// Nudge by the sign, divide towards zero, then round halves away from zero.
inline std::int64_t published_rescale(std::int32_t value, std::int32_t multiplier, std::int32_t shift) {
    const std::uint32_t left = (shift > 0) ? static_cast<std::uint32_t>(shift) : 0U;
    const std::uint32_t right = (shift < 0) ? static_cast<std::uint32_t>(-shift) : 0U;
    const std::int64_t shifted = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << left);
    const std::int64_t product = shifted * multiplier;
    const std::int64_t nudge = (product >= 0) ? (std::int64_t{1} << 30) : (1 - (std::int64_t{1} << 30));
    const std::int64_t quotient = (product + nudge) / (std::int64_t{1} << 31);
    const std::int64_t high = (quotient > INT32_MAX) ? INT32_MAX : quotient;
    const std::int64_t divisor = std::int64_t{1} << right;
    const std::int64_t magnitude = (((high < 0) ? -high : high) + (divisor / 2)) / divisor;
    return (high < 0) ? -magnitude : magnitude;
}

// What a rescaling gives that rounds halves upwards: equal but for exact halves below zero. shift is below 0.
inline std::int64_t halves_upwards(std::int32_t value, std::int32_t multiplier, std::int32_t shift) {
    constexpr std::int64_t kHalf = std::int64_t{1} << 30;
    const std::int64_t high = ((std::int64_t{value} * multiplier) + kHalf) >> 31;
    return (high + (std::int64_t{1} << (-shift - 1))) >> -shift;
}

// The rescaling of sums of 48 bits, to a multiplier of 16 bits. shift is at most 7.
inline std::int64_t published_wide_rescale(std::int64_t value, std::int32_t multiplier, std::int32_t shift) {
    const std::int64_t reduced = (multiplier < 0x7FFF'0000) ? ((std::int64_t{multiplier} + 0x8000) / 0x1'0000) : 0x7FFF;
    const std::int64_t divisor = std::int64_t{1} << (15 - shift);
    const std::int64_t product = (value * reduced) + (divisor / 2);
    const std::int64_t quotient = product / divisor;
    return ((product % divisor) < 0) ? (quotient - 1) : quotient;
}

// Bias added modulo 2^32, then scaled, placed and clamped.
inline std::int8_t published_element(std::int32_t sum, std::int32_t bias, std::int32_t multiplier, std::int32_t shift,
                                     std::int32_t offset, std::int32_t lowest, std::int32_t highest) {
    const auto total = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(bias));
    const std::int64_t placed = published_rescale(total, multiplier, shift) + offset;
    return static_cast<std::int8_t>((placed < lowest) ? lowest : ((placed > highest) ? highest : placed));
}

}  // namespace pianola::refdev
