#include "docs/examples/board/benchmark_real.h"

#include <array>
#include <cstring>

#include "hal/boards/common/semihosting.h"

namespace pianola::benchmark {
namespace {

constexpr std::uint32_t kMantissaBits = 23U;
constexpr std::int32_t kExponentBias = 127 + 23;
// Fractional bits of the numbers of a mean square; bits of a square that are dropped before it is added.
constexpr std::int32_t kFixedBits = 18;
constexpr std::uint32_t kDroppedBits = 10U;
constexpr std::int64_t kMostFixed = std::int64_t{2048} << 18U;

// mantissa * 2^shift, towards zero; at most 2^62.
std::uint64_t shifted(std::uint64_t mantissa, std::int32_t shift) noexcept {
    constexpr std::int32_t kBits = 62;
    constexpr std::uint64_t kMost = std::uint64_t{1U} << 62U;
    if (shift <= -kBits) {
        return 0U;
    }
    if (shift <= 0) {
        return mantissa >> static_cast<std::uint32_t>(-shift);
    }
    const bool fits = (shift < kBits) && (mantissa <= (kMost >> static_cast<std::uint32_t>(shift)));
    return fits ? (mantissa << static_cast<std::uint32_t>(shift)) : ((mantissa == 0U) ? 0U : kMost);
}

// 32-bit cores have no 64-bit division.
std::uint64_t quotient(std::uint64_t dividend, std::uint32_t divisor) noexcept {
    std::uint64_t result = 0U;
    std::uint64_t rest = 0U;
    for (std::uint32_t i = 64U; (i > 0U) && (divisor != 0U); --i) {
        rest = (rest << 1U) | ((dividend >> (i - 1U)) & 1U);
        result <<= 1U;
        if (rest >= divisor) {
            rest -= divisor;
            result |= 1U;
        }
    }
    return result;
}

std::int64_t fixed(Real number) noexcept {
    const std::uint64_t wide = shifted(number.mantissa, number.exponent + kFixedBits);
    const std::int64_t value =
        (wide < static_cast<std::uint64_t>(kMostFixed)) ? static_cast<std::int64_t>(wide) : kMostFixed;
    return number.is_negative ? -value : value;
}

}  // namespace

std::uint32_t bits_of(float number) noexcept {
    static_assert(sizeof(number) == sizeof(std::uint32_t));
    std::uint32_t bits = 0U;
    std::memcpy(&bits, &number, sizeof(bits));
    return bits;
}

Real real_of(std::uint32_t bits) noexcept {
    constexpr std::uint32_t kHiddenBit = 1U << kMantissaBits;
    const std::uint32_t exponent = (bits >> kMantissaBits) & 0xFFU;
    const std::uint32_t fraction = bits & (kHiddenBit - 1U);
    const bool is_normal = exponent != 0U;
    return {(bits >> 31U) != 0U, is_normal ? (fraction | kHiddenBit) : fraction,
            static_cast<std::int32_t>(is_normal ? exponent : 1U) - kExponentBias};
}

Real product(Real scale, std::int64_t factor) noexcept {
    const bool is_negative = factor < 0;
    const auto size = static_cast<std::uint64_t>(is_negative ? -factor : factor);
    return {scale.is_negative != is_negative, scale.mantissa * size, scale.exponent};
}

std::int8_t quantized(Real number, Real scale, std::int32_t zero_point) noexcept {
    constexpr std::int64_t kMostSteps = 1024;  // more is outside of int8 with every zero point
    // Twice the quotient, so that its last bit says which way to round.
    const std::int32_t shift = (number.exponent - scale.exponent) + 1;
    const std::uint64_t divisor = shifted(scale.mantissa, (shift < 0) ? -shift : 0);
    const std::uint64_t dividend = shifted(number.mantissa, (shift < 0) ? 0 : shift);
    std::int64_t steps = kMostSteps;
    if (divisor > UINT32_MAX) {  // a number far below one step
        steps = 0;
    } else {
        const std::uint64_t twice = quotient(dividend, static_cast<std::uint32_t>(divisor));
        steps = (twice < (2U * static_cast<std::uint64_t>(kMostSteps))) ? static_cast<std::int64_t>((twice + 1U) / 2U)
                                                                        : kMostSteps;
    }
    std::int64_t value = (number.is_negative ? -steps : steps) + zero_point;
    value = (value < INT8_MIN) ? INT8_MIN : value;
    return static_cast<std::int8_t>((value > INT8_MAX) ? INT8_MAX : value);
}

void MeanSquare::add(Real one, Real other) noexcept {
    const std::int64_t difference = fixed(one) - fixed(other);
    const auto size = static_cast<std::uint64_t>((difference < 0) ? -difference : difference);
    sum_ += (size * size) >> kDroppedBits;
    ++count_;
}

Real MeanSquare::mean() const noexcept {
    return {false, quotient(sum_, count_), -((2 * kFixedBits) - static_cast<std::int32_t>(kDroppedBits))};
}

void print_real(Real number) noexcept {
    constexpr std::int32_t kMostFraction = 59;  // ten times a fraction of as many bits fits
    constexpr std::size_t kDecimals = 6U;
    const std::int32_t wanted = -number.exponent;
    const std::int32_t kept = (wanted < 0) ? 0 : ((wanted > kMostFraction) ? kMostFraction : wanted);
    const auto bits = static_cast<std::uint32_t>(kept);
    const std::uint64_t value = shifted(number.mantissa, number.exponent + kept);
    std::array<char, kDecimals + 2U> decimals{'.'};
    std::uint64_t fraction = value & ((std::uint64_t{1U} << bits) - 1U);
    for (std::size_t i = 0U; i < kDecimals; ++i) {
        fraction *= 10U;
        // NOLINTNEXTLINE(pianola-misra-7.0.3): DEV-061
        decimals[i + 1U] = static_cast<char>('0' + static_cast<std::int32_t>(fraction >> bits));
        fraction &= (std::uint64_t{1U} << bits) - 1U;
    }
    semihosting::print(number.is_negative ? "-" : "");
    semihosting::print_number(value >> bits);
    semihosting::print(decimals.data());
}

}  // namespace pianola::benchmark
