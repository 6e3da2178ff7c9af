// Fixed-point arithmetic of the int8 quantisation scheme, with double rounding.
//
// The only arithmetic besides sums of products that determines bits of a result; every kernel rescales through it.
// Source of the algorithm: the published gemmlowp fixed-point operations, composed as in TensorFlow Lite Micro's
// reference kernels (a rounding doubling high multiplication, then a rounding division by a power of two). Any operand
// gives a defined result; if the published operations would overflow, these wrap modulo 2^32 or saturate as described.
#pragma once

#include <cstdint>
#include <type_traits>

namespace pianola::refdev {

inline constexpr std::int32_t kMinShift = -31;
inline constexpr std::int32_t kMaxShift = 30;
inline constexpr std::int32_t kMaxWideShift = 7;  // of WideScale

[[nodiscard]] constexpr std::int32_t smaller_of(std::int32_t left, std::int32_t right) noexcept {
    return (left < right) ? left : right;
}

[[nodiscard]] constexpr std::int32_t larger_of(std::int32_t left, std::int32_t right) noexcept {
    return (left > right) ? left : right;
}

[[nodiscard]] constexpr std::int32_t clamp_to(std::int32_t value, std::int32_t lowest, std::int32_t highest) noexcept {
    return smaller_of(larger_of(value, lowest), highest);
}

// value / 2^bits, rounded down; bits 0 to 31.
template <typename Integer>
[[nodiscard]] constexpr Integer floor_shift_right(Integer value, std::uint32_t bits) noexcept {
    static_assert(std::is_signed_v<Integer>, "unsigned numbers need no help");
    return value >> bits;  // NOLINT(hicpp-signed-bitwise): DEV-020
}
static_assert((floor_shift_right(-3, 1U) == -2) &&
                  (floor_shift_right(INT64_MIN, 31U) == (INT64_MIN / INT64_C(0x80000000))),
              "right shifts of negative numbers must be arithmetic");

// left + right modulo 2^32.
[[nodiscard]] constexpr std::int32_t wrapping_add(std::int32_t left, std::int32_t right) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(left) + static_cast<std::uint32_t>(right));
}

// left - right modulo 2^32.
[[nodiscard]] constexpr std::int32_t wrapping_subtract(std::int32_t left, std::int32_t right) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(left) - static_cast<std::uint32_t>(right));
}

// value * 2^bits modulo 2^32; bits 0 to 31.
[[nodiscard]] constexpr std::int32_t wrapping_shift_left(std::int32_t value, std::uint32_t bits) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << bits);
}

// left * right / 2^31, rounded to nearest, halves upwards. The one product that does not fit saturates. The published
// formula divides towards zero after a nudge that depends on the sign; this floor form equals it everywhere.
[[nodiscard]] constexpr std::int32_t rounding_doubling_high_multiply(std::int32_t left, std::int32_t right) noexcept {
    constexpr std::int64_t kHalf = 0x4000'0000;
    const std::int64_t high =
        floor_shift_right((static_cast<std::int64_t>(left) * static_cast<std::int64_t>(right)) + kHalf, 31U);
    return static_cast<std::int32_t>((high > INT32_MAX) ? INT32_MAX : high);
}

// value / 2^bits, rounded to nearest, halves away from zero; bits 0 to 31.
[[nodiscard]] constexpr std::int32_t rounding_shift_right(std::int32_t value, std::uint32_t bits) noexcept {
    const std::uint32_t sign = (value < 0) ? UINT32_MAX : 0U;
    const std::uint32_t magnitude = (static_cast<std::uint32_t>(value) ^ sign) - sign;
    const std::uint32_t rounded = (magnitude + ((std::uint32_t{1} << bits) >> 1U)) >> bits;
    return static_cast<std::int32_t>((rounded ^ sign) - sign);
}

// value * 2^bits, saturated; bits 1 to 30.
[[nodiscard]] constexpr std::int32_t saturating_shift_left(std::int32_t value, std::uint32_t bits) noexcept {
    const std::int32_t threshold = floor_shift_right(INT32_MAX, bits);
    if (value > threshold) {
        return INT32_MAX;
    }
    return (value < -threshold) ? INT32_MIN : wrapping_shift_left(value, bits);
}

// Multiplication by a real number: multiplier / 2^31 * 2^shift. Any shift is accepted: it is clamped to the scheme's
// range.
class Scale {
  public:
    constexpr Scale(std::int32_t multiplier, std::int32_t shift) noexcept
        : multiplier_{multiplier}, shift_{clamp_to(shift, kMinShift, kMaxShift)} {}

    [[nodiscard]] constexpr std::int32_t apply(std::int32_t value) const noexcept {
        if (shift_ < 0) {
            return rounding_shift_right(rounding_doubling_high_multiply(value, multiplier_),
                                        static_cast<std::uint32_t>(-shift_));
        }
        return rounding_doubling_high_multiply(wrapping_shift_left(value, static_cast<std::uint32_t>(shift_)),
                                               multiplier_);
    }
    [[nodiscard]] constexpr std::int32_t multiplier() const noexcept { return multiplier_; }
    [[nodiscard]] constexpr std::int32_t shift() const noexcept { return shift_; }

  private:
    std::int32_t multiplier_;
    std::int32_t shift_;
};

// Rescales sums of up to 48 bits: the multiplier is rounded to 16 bits, and the product once, halves upwards. A result
// that does not fit wraps modulo 2^32.
class WideScale {
  public:
    constexpr WideScale(std::int32_t multiplier, std::int32_t shift) noexcept
        : multiplier_{reduced(multiplier)},
          right_shift_{static_cast<std::uint32_t>(kFractionBits - clamp_to(shift, kMinShift, kMaxWideShift))} {}

    [[nodiscard]] constexpr std::int32_t apply(std::int64_t value) const noexcept {
        const std::uint64_t half = std::uint64_t{1} << (right_shift_ - 1U);
        const std::uint64_t product = (static_cast<std::uint64_t>(value) * multiplier_) + half;
        return static_cast<std::int32_t>(floor_shift_right(static_cast<std::int64_t>(product), right_shift_));
    }

  private:
    static constexpr std::int32_t kFractionBits = 15;

    // Only for multipliers that are not negative; no layer has negative ones.
    [[nodiscard]] static constexpr std::uint64_t reduced(std::int32_t multiplier) noexcept {
        constexpr std::uint32_t kDroppedBits = 16U;
        constexpr std::uint32_t kLargest = 0x7FFFU;
        const std::uint32_t bits = static_cast<std::uint32_t>(larger_of(multiplier, 0));
        const std::uint32_t rounded = (bits + (std::uint32_t{1} << (kDroppedBits - 1U))) >> kDroppedBits;
        return (rounded < kLargest) ? rounded : kLargest;
    }

    std::uint64_t multiplier_;
    std::uint32_t right_shift_;
};

// The last step of most kernels: clamp(value + offset, lowest, highest), exact also where value + offset would not fit.
// lowest, highest and offset lie within [-65536, 65536], or offset is 0.
class OutputRange {
  public:
    constexpr OutputRange(std::int32_t offset, std::int32_t lowest, std::int32_t highest) noexcept
        : offset_{offset}, lowest_{lowest - offset}, highest_{highest - offset} {}

    [[nodiscard]] constexpr std::int32_t clamp(std::int32_t value) const noexcept {
        return clamp_to(value, lowest_, highest_) + offset_;
    }
    [[nodiscard]] constexpr std::int8_t place(std::int32_t value) const noexcept {
        return static_cast<std::int8_t>(clamp(value));
    }
    // The bounds are those of `value` in clamp().
    [[nodiscard]] constexpr std::int32_t offset() const noexcept { return offset_; }
    [[nodiscard]] constexpr std::int32_t lowest() const noexcept { return lowest_; }
    [[nodiscard]] constexpr std::int32_t highest() const noexcept { return highest_; }

  private:
    std::int32_t offset_;
    std::int32_t lowest_;
    std::int32_t highest_;
};

// Converts one quantised operand to a scale shared with another.
struct ScaledTerm {
    std::int32_t offset;
    std::uint32_t left_shift;
    Scale scale;

    [[nodiscard]] constexpr std::int32_t value(std::int32_t element) const noexcept {
        return scale.apply(wrapping_shift_left(element + offset, left_shift));
    }
};

}  // namespace pianola::refdev
