// Pairs of 16 bits in a word, as the DSP instructions take them.
#pragma once

#include <arm_acle.h>

#include <cstdint>
#include <cstring>

namespace pianola::refdev {

inline constexpr std::uint32_t kQuad = 4U;  // taps of a word

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

}  // namespace pianola::refdev
