// 32-bit numbers between an operator's launches.
#pragma once

#include <cstdint>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

// Leaves numbers up to 2^30 as they are; with a right shift, rounds to nearest, halves away from 0.
inline constexpr FixedPoint kExactly{INT32_MAX, 0};
// Fraction bits of the terms of sums: the scheme shifts them to the left by 20 and halves them.
inline constexpr std::uint32_t kSumFractionBits = 19U;
inline constexpr FixedPoint kToSumFraction{1 << 30, static_cast<std::int32_t>(kSumFractionBits) + 1};

// The scale from such sums of an input to an output.
[[nodiscard]] FixedPoint sum_scale(const OperatorContext& context, float input_scale, float output_scale);

// Memory for so many numbers. Refuses more than a tensor may have.
[[nodiscard]] capture::BufferId add_wide(OperatorContext& context, std::uint64_t count);

// Widens: elements of int8 minus the zero point, times the scale; and back to int8, plus the zero point.
void record_widening(OperatorContext& context, const Int8Tensor& input, std::int32_t zero_point,
                     const FixedPoint& scale, capture::BufferId wide);
void record_narrowing(OperatorContext& context, capture::BufferId wide, const FixedPoint& scale,
                      std::int32_t zero_point, const Int8Tensor& output);

// c = a x b of int32, or c + a x b.
struct WideMatrix {
    capture::BufferId buffer{};
    std::uint32_t offset_bytes{0U};
};
struct ProductSize {
    std::uint32_t m{1U};
    std::uint32_t k{1U};
    std::uint32_t n{1U};
};
void record_product(OperatorContext& context, const WideMatrix& a, const WideMatrix& b, const WideMatrix& c,
                    const ProductSize& size, bool accumulates);

}  // namespace pianola::tflite
