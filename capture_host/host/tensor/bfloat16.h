// bfloat16: the upper half of a float's bits.
//
// Conversions between arrays of float32 and tensors of bfloat16.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "pianola/span.h"

namespace pianola::tensor {

inline constexpr std::uint32_t kBfloat16Shift = 16U;

// To nearest, ties to even; numbers that are too large become infinite. NaN stays NaN, with its sign, and becomes
// quiet.
[[nodiscard]] inline std::uint16_t to_bfloat16(float number) noexcept {
    constexpr std::uint32_t kMagnitude = 0x7FFF'FFFFU;
    constexpr std::uint32_t kInfinity = 0x7F80'0000U;
    constexpr std::uint32_t kBelowHalf = 0x7FFFU;
    constexpr std::uint32_t kQuiet = 0x0040U;
    std::uint32_t bits = 0U;
    std::memcpy(&bits, &number, sizeof(bits));
    const std::uint32_t upper = bits >> kBfloat16Shift;
    if ((bits & kMagnitude) > kInfinity) {
        return static_cast<std::uint16_t>(upper | kQuiet);
    }
    return static_cast<std::uint16_t>((bits + kBelowHalf + (upper & 1U)) >> kBfloat16Shift);
}

// Exact.
[[nodiscard]] inline float from_bfloat16(std::uint16_t bits) noexcept {
    const std::uint32_t wide = std::uint32_t{bits} << kBfloat16Shift;
    float number = 0.0F;
    std::memcpy(&number, &wide, sizeof(number));
    return number;
}

// Arrays of them, as bytes.
template <typename From, typename To, typename Convert>
[[nodiscard]] std::vector<std::uint8_t> convert_elements(ByteSpan from, const Convert& convert) {
    const std::size_t count = from.size() / sizeof(From);
    std::vector<std::uint8_t> result(count * sizeof(To));
    for (std::size_t i = 0U; i < count; ++i) {
        From number{};
        std::memcpy(&number, from.data() + (i * sizeof(From)), sizeof(From));
        const To other = convert(number);
        std::memcpy(result.data() + (i * sizeof(To)), &other, sizeof(To));
    }
    return result;
}

[[nodiscard]] inline std::vector<std::uint8_t> bfloat16_from_float32(ByteSpan floats) {
    return convert_elements<float, std::uint16_t>(floats, to_bfloat16);
}
[[nodiscard]] inline std::vector<std::uint8_t> float32_from_bfloat16(ByteSpan halves) {
    return convert_elements<std::uint16_t, float>(halves, from_bfloat16);
}

}  // namespace pianola::tensor
