#include "capture_host/operators/quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pianola::operators {
namespace {

constexpr double kTwoPow31 = 2147483648.0;
constexpr std::int32_t kSoftmaxIntegerBits = 5;  // of the scaled difference
constexpr std::int32_t kSignedBits = 31;

// As in the scheme, without a bound on the exponent.
FixedPoint nearest(double real) {
    if (real == 0.0) {
        return FixedPoint{};
    }
    int exponent = 0;
    const double mantissa = std::frexp(real, &exponent);
    auto rounded = static_cast<std::int64_t>(std::round(mantissa * kTwoPow31));
    if (rounded == (std::int64_t{1} << 31U)) {
        rounded /= 2;
        exponent += 1;
    }
    if (exponent < kMinShift) {
        return FixedPoint{};
    }
    return FixedPoint{static_cast<std::int32_t>(rounded), exponent};
}

std::int32_t floor_log2(std::uint32_t value) {
    std::int32_t log = 0;
    for (std::uint32_t rest = value; rest > 1U; rest >>= 1U) {
        log += 1;
    }
    return log;
}

// The quantised value of `real`, in single precision as in the scheme.
std::optional<std::int64_t> quantized(float real, float scale, std::int32_t zero_point) {
    const float steps = std::round(real / scale);
    if (!(std::fabs(steps) < static_cast<float>(kTwoPow31))) {
        return std::nullopt;
    }
    return std::int64_t{zero_point} + static_cast<std::int64_t>(steps);
}

double two_to(std::uint32_t exponent) {
    return static_cast<double>(1U << exponent);
}

}  // namespace

std::optional<FixedPoint> quantize_multiplier(double real) {
    if (!std::isfinite(real) || (real < 0.0)) {
        return std::nullopt;
    }
    const FixedPoint result = nearest(real);
    if (result.shift > kMaxShift) {
        return std::nullopt;
    }
    return result;
}

std::optional<FixedPoint> quantize_fraction(double real) {
    const std::optional<FixedPoint> result = quantize_multiplier(real);
    return (result.has_value() && (result->shift <= 0)) ? result : std::nullopt;
}

FixedPoint fold_count(FixedPoint multiplier, std::uint32_t count) {
    const std::int32_t fold = std::min({floor_log2(count), 32, 31 + multiplier.shift});
    const std::int64_t scaled =
        std::int64_t{multiplier.multiplier} * (std::int64_t{1} << static_cast<std::uint32_t>(fold));
    return FixedPoint{static_cast<std::int32_t>(scaled / std::int64_t{count}), multiplier.shift - fold};
}

std::optional<ActivationRange> activation_range(std::int8_t activation, float scale, std::int32_t zero_point,
                                                const ActivationRange& whole) {
    float low = -std::numeric_limits<float>::infinity();
    float high = std::numeric_limits<float>::infinity();
    switch (static_cast<Activation>(activation)) {
        case Activation::kNone:
            break;
        case Activation::kRelu:
            low = 0.0F;
            break;
        case Activation::kReluN1To1:
            low = -1.0F;
            high = 1.0F;
            break;
        case Activation::kRelu6:
            low = 0.0F;
            high = 6.0F;
            break;
        default:
            return std::nullopt;
    }
    ActivationRange range = whole;
    if (std::isfinite(low)) {
        const std::optional<std::int64_t> bound = quantized(low, scale, zero_point);
        if (!bound.has_value()) {
            return std::nullopt;
        }
        range.min = static_cast<std::int32_t>(std::clamp<std::int64_t>(*bound, range.min, range.max));
    }
    if (std::isfinite(high)) {
        const std::optional<std::int64_t> bound = quantized(high, scale, zero_point);
        if (!bound.has_value()) {
            return std::nullopt;
        }
        range.max = static_cast<std::int32_t>(std::clamp<std::int64_t>(*bound, range.min, range.max));
    }
    return range;
}

std::optional<SoftmaxScaling> softmax_scaling(float beta, float input_scale) {
    const double unit = static_cast<double>(std::int64_t{1} << (kSignedBits - kSoftmaxIntegerBits));
    const double wanted = static_cast<double>(beta) * static_cast<double>(input_scale) * unit;
    if (!std::isfinite(wanted) || !(wanted > 1.0)) {
        return std::nullopt;
    }
    const FixedPoint scaling = nearest(std::min(wanted, kTwoPow31 - 1.0));
    const double radius =
        31.0 * unit / static_cast<double>(std::int64_t{1} << static_cast<std::uint32_t>(scaling.shift));
    // From 16 on only elements equal to the largest count: their difference is 0 whatever the shift; kernels shift by
    // less than 31.
    return SoftmaxScaling{scaling.multiplier, std::min(scaling.shift, kMaxShift),
                          -static_cast<std::int32_t>(std::floor(radius))};
}

std::optional<FixedPoint> softmax_int16_scale(float beta, float input_scale) {
    constexpr double kTableStep = 10.0 / 65535.0;
    return quantize_multiplier(static_cast<double>(input_scale) * static_cast<double>(beta) / kTableStep);
}

std::optional<LogSoftmaxScaling> log_softmax_scaling(float input_scale) {
    const std::optional<SoftmaxScaling> differences = softmax_scaling(1.0F, input_scale);
    if (!differences.has_value() || (differences->diff_min == 0)) {
        return std::nullopt;
    }
    const double unit = two_to(static_cast<std::uint32_t>(kSignedBits - differences->left_shift));
    const std::optional<FixedPoint> reverse = quantize_fraction(unit / static_cast<double>(differences->multiplier));
    return reverse.has_value() ? std::optional{LogSoftmaxScaling{*differences, *reverse}} : std::nullopt;
}

}  // namespace pianola::operators
