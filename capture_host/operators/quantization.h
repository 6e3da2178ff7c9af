// Fixed-point numbers of the int8 quantisation scheme, computed from scales.
//
// Each function reproduces, to the last bit, what TensorFlow Lite Micro computes when it prepares a reference kernel;
// the order and width of the floating-point operations matter, so this library is compiled without contraction. Pure
// functions; std::nullopt if the kernels cannot represent a result.
#pragma once

#include <cstdint>
#include <optional>

namespace pianola::operators {

// A number q stands for scale * (q - zero_point).
struct Affine {
    float scale{0.0F};
    std::int32_t zero_point{0};
};

// multiplier * 2^(shift - 31): a Q31 mantissa in [2^30, 2^31), or 0, and a power of two (positive is to the left).
struct FixedPoint {
    std::int32_t multiplier{0};
    std::int32_t shift{0};
};
inline constexpr FixedPoint kUnity{1 << 30, 1};  // leaves every number as it is

inline constexpr std::int32_t kMaxShift = 30;   // a 32-bit value shifted further has no bit left
inline constexpr std::int32_t kMinShift = -31;  // smaller values become 0

// Nearest fixed-point number. nullopt: negative, not finite, or 2^30 and above.
[[nodiscard]] std::optional<FixedPoint> quantize_multiplier(double real);

// The multiplier that also divides by `count`, which is at least 1; truncated, as the scheme's mean does.
[[nodiscard]] FixedPoint fold_count(FixedPoint multiplier, std::uint32_t count);

// Fused activations, by their number in the format.
enum class Activation : std::int8_t { kNone = 0, kRelu = 1, kReluN1To1 = 2, kRelu6 = 3 };

struct ActivationRange {
    std::int32_t min{-128};
    std::int32_t max{127};
};

inline constexpr ActivationRange kInt16Range{-32768, 32767};

// The range, within that of a type, `whole`, to which an activation clamps. nullopt: an unknown activation, or a bound
// outside int32.
[[nodiscard]] std::optional<ActivationRange> activation_range(std::int8_t activation, float scale,
                                                              std::int32_t zero_point,
                                                              const ActivationRange& whole = {});

// Nearest fixed-point number below 1. nullopt: there is none.
[[nodiscard]] std::optional<FixedPoint> quantize_fraction(double real);

// How softmax scales differences to the row's maximum.
struct SoftmaxScaling {
    std::int32_t multiplier{0};
    std::int32_t left_shift{0};  // 0 to 30
    std::int32_t diff_min{0};    // smaller differences do not count
};

// nullopt if beta * scale is not finite, or 2^-26 or below.
[[nodiscard]] std::optional<SoftmaxScaling> softmax_scaling(float beta, float input_scale);

// The same for int16, whose tables take differences in steps of 10 / 65535. nullopt: out of range.
[[nodiscard]] std::optional<FixedPoint> softmax_int16_scale(float beta, float input_scale);

// The same for log-softmax, with beta 1, which also scales differences back.
struct LogSoftmaxScaling {
    SoftmaxScaling differences;  // left_shift from 1
    FixedPoint reverse;          // below 1
};

// nullopt if the scale is 2^-26 or below, or 16 or above.
[[nodiscard]] std::optional<LogSoftmaxScaling> log_softmax_scaling(float input_scale);

}  // namespace pianola::operators
