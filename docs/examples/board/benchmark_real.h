// Real numbers of a benchmark's inputs and results, computed with integers: images for boards have no floating point.
#pragma once

#include <cstdint>

namespace pianola::benchmark {

// (negative ? -1 : 1) * mantissa * 2^exponent.
struct Real {
    bool is_negative{false};
    std::uint64_t mantissa{0U};
    std::int32_t exponent{0};
};

// The bits of an IEEE 754 single precision number. Infinities and what is not a number become a large number.
[[nodiscard]] std::uint32_t bits_of(float number) noexcept;
[[nodiscard]] Real real_of(std::uint32_t bits) noexcept;

// scale * factor, |factor| < 2^34.
[[nodiscard]] Real product(Real scale, std::int64_t factor) noexcept;

// number / scale, rounded to the nearest whole number, ties away from zero, plus zero_point; within int8.
[[nodiscard]] std::int8_t quantized(Real number, Real scale, std::int32_t zero_point) noexcept;

// The mean of squares of differences, as it is summed up. |numbers| < 2048; at most 8192 differences.
class MeanSquare {
  public:
    void add(Real one, Real other) noexcept;
    [[nodiscard]] Real mean() const noexcept;

  private:
    std::uint64_t sum_{0U};
    std::uint32_t count_{0U};
};

// With six decimals, the rest cut off.
void print_real(Real number) noexcept;

}  // namespace pianola::benchmark
