// Arithmetic of one element type: int8 saturates, int32 wraps modulo 2^32.
//
// Operands are 32 bits wide and in the range of the type; so is every result. Defined for all operands.
#pragma once

#include <cstdint>
#include <type_traits>

#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::refdev {

// left * right modulo 2^32.
[[nodiscard]] constexpr std::int32_t wrapping_multiply(std::int32_t left, std::int32_t right) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(left) * static_cast<std::uint32_t>(right));
}

template <typename Element>
struct Arithmetic {
    static_assert(std::is_same_v<Element, std::int8_t> || std::is_same_v<Element, std::int32_t>);

    [[nodiscard]] static constexpr std::int32_t add(std::int32_t left, std::int32_t right) noexcept {
        return fit(wrapping_add(left, right));
    }
    [[nodiscard]] static constexpr std::int32_t subtract(std::int32_t left, std::int32_t right) noexcept {
        return fit(wrapping_subtract(left, right));
    }
    [[nodiscard]] static constexpr std::int32_t multiply(std::int32_t left, std::int32_t right) noexcept {
        return fit(wrapping_multiply(left, right));
    }

  private:
    // No operation on two int8 leaves 32 bits, so nothing has wrapped before this saturates.
    [[nodiscard]] static constexpr std::int32_t fit(std::int32_t value) noexcept {
        return std::is_same_v<Element, std::int8_t> ? clamp_to(value, INT8_MIN, INT8_MAX) : value;
    }
};

}  // namespace pianola::refdev
