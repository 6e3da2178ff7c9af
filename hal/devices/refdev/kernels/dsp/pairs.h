// Pairs of 16 bits in a word, as the DSP instructions take them.
#pragma once

#include <arm_acle.h>

#include <cstdint>
#include <cstring>

#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/layer_work.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kQuad = kDspQuad;  // taps of a word

// Two 16-bit halves each.
struct Pairs {
    std::uint32_t even;  // bytes 0 and 2
    std::uint32_t odd;   // bytes 1 and 3
};

[[nodiscard]] inline std::uint32_t load_quad(const std::int8_t* from) noexcept {
    std::uint32_t word = 0U;
    std::memcpy(&word, from, kQuad);
    return word;
}

// `count` bytes, fewer than four, and zeros.
[[nodiscard]] inline std::uint32_t load_some(const std::int8_t* from, std::uint32_t count) noexcept {
    constexpr std::uint32_t kByteBits = 8U;
    std::uint32_t word = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(from[i])) << (kByteBits * i);
    }
    return word;
}

// The intrinsics have no rotating form; the compiler emits two instructions for it.
[[nodiscard]] inline Pairs unpack(std::uint32_t quad) noexcept {
    std::uint32_t odd = 0U;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(odd) : "r"(quad));
    return Pairs{static_cast<std::uint32_t>(__sxtb16(static_cast<int8x4_t>(quad))), odd};
}
[[nodiscard]] inline Pairs unpack_add(std::uint32_t quad, std::uint32_t offsets) noexcept {
    std::uint32_t odd = 0U;
    __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(odd) : "r"(offsets), "r"(quad));
    return Pairs{static_cast<std::uint32_t>(__sxtab16(static_cast<int16x2_t>(offsets), static_cast<int8x4_t>(quad))),
                 odd};
}

[[nodiscard]] inline std::int32_t multiply_add(std::uint32_t left, std::uint32_t right, std::int32_t sum) noexcept {
    return __smlad(static_cast<int16x2_t>(left), static_cast<int16x2_t>(right), sum);
}
[[nodiscard]] inline std::int32_t multiply_add(Pairs left, Pairs right, std::int32_t sum) noexcept {
    return multiply_add(left.odd, right.odd, multiply_add(left.even, right.even, sum));
}

// The offset in both halves.
[[nodiscard]] inline std::uint32_t offsets_of(std::int32_t offset) noexcept {
    constexpr std::uint32_t kHalfBits = 16U;
    constexpr std::uint32_t kLowHalf = 0xFFFFU;
    const auto word = static_cast<std::uint32_t>(offset);
    return (word << kHalfBits) | (word & kLowHalf);
}

// The short form of requantisation (requantisation.h) of sums that are doubled: the rounded high half of a product and
// the nudge in one instruction.

// The element of a doubled sum; `nudge` is the rounding and the output's zero point.
[[nodiscard]] inline std::int32_t doubled_to_int8(std::int32_t sum, std::int32_t multiplier, std::int32_t nudge,
                                                  std::uint32_t bits) noexcept {
    std::int32_t element = 0;
    __asm__(
        "add %[element], %[nudge], %[sum], asr #31\n\t"
        "smmlar %[element], %[sum], %[multiplier], %[element]\n\t"
        "asr %[element], %[element], %[bits]\n\t"
        "ssat %[element], #8, %[element]"
        : [element] "=&r"(element)
        : [nudge] "r"(nudge), [sum] "r"(sum), [multiplier] "r"(multiplier), [bits] "r"(bits));
    return element;
}

// Defined for any distance.
[[nodiscard]] inline std::int32_t shifted_left(std::int32_t value, std::uint32_t bits) noexcept {
    std::int32_t result = 0;
    __asm__("lsl %[result], %[value], %[bits]" : [result] "=r"(result) : [value] "r"(value), [bits] "r"(bits));
    return result;
}

// Twice a multiplier of any sign: `low` and `high_bit` times 2^32.
struct DoubledMultiplier {
    std::int32_t low;
    std::int32_t high_bit;

    // The rounded high product of scale_long(), and its sign.
    [[nodiscard]] std::int32_t signed_high(std::int32_t sum) const noexcept {
        std::int32_t high = 0;
        __asm__(
            "mul %[high], %[sum], %[high_bit]\n\t"
            "smmlar %[high], %[sum], %[low], %[high]\n\t"
            "add %[high], %[high], %[high], asr #31"
            : [high] "=&r"(high)
            : [sum] "r"(sum), [high_bit] "r"(high_bit), [low] "r"(low));
        return high;
    }
};
[[nodiscard]] inline DoubledMultiplier doubled(std::int32_t multiplier) noexcept {
    const std::int32_t low = wrapping_shift_left(multiplier, 1U);
    return {low, floor_shift_right(multiplier, 31U) - floor_shift_right(low, 31U)};
}
[[nodiscard]] inline std::int32_t without_sign(std::int32_t signed_high) noexcept {
    return wrapping_subtract(signed_high, floor_shift_right(signed_high, 31U));
}

}  // namespace pianola::refdev
