#include <algorithm>
#include <cmath>

#include "capture_host/decompile/curves.h"
#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/scales.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/exponential.h"
#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;
using refdev::KernelId;

constexpr std::int32_t kLeast = INT8_MIN;
constexpr std::int32_t kMost = INT8_MAX;

std::int64_t times(std::int32_t value, const Multiplier& scale) {
    return refdev::Scale{scale.mantissa, scale.shift}.apply(value);
}

Multiplier ratio_of(const Operation& op) {  // in single precision
    return multiplier_of(static_cast<double>(scale_of(op.in(0U)) / scale_of(op.out())));
}

Multiplier exact_ratio_of(const Operation& op) {
    return multiplier_of(static_cast<double>(scale_of(op.in(0U))) / static_cast<double>(scale_of(op.out())));
}

// A function of a byte, by the results for 0 to 255; `result` gets the byte as a number of the input's type.
template <typename Result>
void lookup(Operation& op, Result result, const Bounds& bounds = {kLeast, kMost}) {
    const bool is_unsigned = op.in(0U).type == tflite::kTypeUint8;
    Tokens table;
    for (std::int32_t byte = 0; byte <= UINT8_MAX; ++byte) {
        const std::int32_t value = (is_unsigned || (byte <= kMost)) ? byte : (byte - (UINT8_MAX + 1));
        const std::int64_t clamped = std::clamp<std::int64_t>(result(value), bounds.lowest, bounds.highest);
        table.push_back(static_cast<Token>(clamped & UINT8_MAX));
    }
    refdev::LookupArguments a{};
    a.count = op.in(0U).elements;
    a.element_bytes = 1U;
    op.compute(KernelId::kLookup, a, {op.bytes(0U), table});
}

refdev::RescaleArguments rescaling(const Operation& op, const Multiplier& scale, const Multiplier& negative,
                                   const Bounds& bounds) {
    refdev::RescaleArguments a{};
    a.count = op.in(0U).elements;
    a.input_type = static_cast<std::uint32_t>(tflite::element_type(op.in(0U).type));
    a.output_type = static_cast<std::uint32_t>(tflite::element_type(op.out().type));
    a.input_zero_point = zero_point_of(op.in(0U));
    a.multiplier = scale.mantissa;
    a.shift = scale.shift;
    a.negative_multiplier = negative.mantissa;
    a.negative_shift = negative.shift;
    a.output_zero_point = zero_point_of(op.out());
    a.activation_min = bounds.lowest;
    a.activation_max = bounds.highest;
    return a;
}

void rescale(Operation& op, const Multiplier& scale, const Multiplier& negative, const Bounds& bounds) {
    op.compute(KernelId::kRescale, rescaling(op, scale, negative, bounds), {op.bytes(0U)});
}

// The reference rounds what is below 0 before it changes the sign.
void rescale_and_negate(Operation& op, const Multiplier& scale, const Multiplier& negative) {
    refdev::RescaleArguments a = rescaling(op, scale, negative, {INT32_MIN, INT32_MAX});
    a.output_type = refdev::kTypeInt32;
    const Tokens numbers = op.launch(KernelId::kRescale, a, {op.bytes(0U)}, a.count * sizeof(std::int32_t));
    a = rescaling(op, kUnity, {-kUnity.mantissa, kUnity.shift}, bounds_of_type(op.out().type));
    a.input_type = refdev::kTypeInt32;
    op.compute(KernelId::kRescale, a, {numbers});
}

void rectifier(Operation& op, int activation) {
    const Multiplier scale = ratio_of(op);
    const Bounds bounds = bounds_of(activation, op.out());
    if (is_int16(op.in(0U))) {
        rescale(op, scale, scale, bounds);
        return;
    }
    const std::int32_t from = zero_point_of(op.in(0U));
    const std::int32_t to = zero_point_of(op.out());
    lookup(op, [=](std::int32_t value) { return times(value - from, scale) + to; }, bounds);
}

void relu(Operation& op) {
    rectifier(op, kRelu);
}

void relu_n1_to_1(Operation& op) {
    rectifier(op, kReluN1To1);
}

// The reference only clamps, in the steps of what it reads.
void relu6(Operation& op) {
    const Bounds bounds = bounds_of(kRelu6, op.in(0U));
    if (is_int16(op.in(0U))) {
        rescale(op, kUnity, kUnity, bounds);
        return;
    }
    lookup(op, [](std::int32_t value) { return std::int64_t{value}; }, bounds);
}

void leaky_relu(Operation& op) {
    const float alpha = op.options<format::LeakyReluOptions>().alpha();
    const Multiplier scale = ratio_of(op);
    const float slope = (scale_of(op.in(0U)) * alpha) / scale_of(op.out());
    const Multiplier below = multiplier_of(std::fabs(static_cast<double>(slope)));
    if (is_int16(op.in(0U))) {
        if (alpha < 0.0F) {
            rescale_and_negate(op, scale, below);
        } else {
            rescale(op, scale, below, bounds_of_type(op.out().type));
        }
        return;
    }
    const std::int32_t from = zero_point_of(op.in(0U));
    const std::int32_t to = zero_point_of(op.out());
    lookup(op, [=](std::int32_t value) {
        if (value >= from) {
            return times(value - from, scale) + to;
        }
        const std::int64_t product = times(value - from, below);
        return ((alpha < 0.0F) ? -product : product) + to;
    });
}

void absolute(Operation& op) {
    const Multiplier scale = ratio_of(op);
    if (is_int16(op.in(0U))) {
        rescale(op, scale, {-scale.mantissa, scale.shift}, bounds_of_type(op.out().type));
        return;
    }
    const std::int32_t from = zero_point_of(op.in(0U));
    const std::int32_t to = zero_point_of(op.out());
    lookup(op, [=](std::int32_t value) { return times(std::abs(value - from), scale) + to; });
}

// In single precision throughout.
template <typename Function>
void single_precision(Operation& op, Function function) {
    const float from = scale_of(op.in(0U));
    const float inverse = 1.0F / scale_of(op.out());
    const std::int32_t zero = zero_point_of(op.in(0U));
    const std::int32_t to = zero_point_of(op.out());
    lookup(op, [=](std::int32_t value) {
        constexpr float kFar = 100000.0F;
        const float y = function(from * static_cast<float>(value - zero));
        return static_cast<std::int64_t>(std::clamp(std::round(y * inverse), -kFar, kFar)) + to;
    });
}

void elu(Operation& op) {
    single_precision(op, [](float x) { return (x < 0.0F) ? (std::exp(x) - 1.0F) : x; });
}

void exponential(Operation& op) {
    single_precision(op, [](float x) { return static_cast<float>(std::exp(static_cast<double>(x))); });
}

// A curve between two bounds, of a number with four integer bits; `drop` bits of the result are rounded away.
template <typename Curve>
void bounded_curve(Operation& op, std::uint32_t drop, std::int32_t to, Curve curve) {
    constexpr double kUnit = 134217728.0;  // 2^27
    constexpr double kEnd = 15.0;
    const Multiplier scale = multiplier_of(static_cast<double>(scale_of(op.in(0U))) * kUnit);
    const auto radius = static_cast<std::int32_t>(std::floor(std::ldexp(kEnd * kUnit, -scale.shift)));
    const std::int32_t from = zero_point_of(op.in(0U));
    lookup(op, [=](std::int32_t value) -> std::int64_t {
        const std::int32_t centred = value - from;
        if (std::abs(centred) >= radius) {
            return (centred < 0) ? kLeast : kMost;
        }
        const auto x = static_cast<std::int32_t>(times(centred, scale));
        return std::int64_t{refdev::rounding_shift_right(curve(x), drop)} + to;
    });
}

// Of int16, by a table whose steps are 1/24: a step of the input is multiplier / 2^shift of 2^-9 of one. A scale that
// is a power of two needs no shift, where the function has as many spare bits.
void curve_by_table(Operation& op, refdev::SigmoidOp kind, std::int32_t most_spare_bits) {
    constexpr std::int32_t kFractionBits = 12;
    constexpr float kNearPower = 0.001F;
    constexpr std::int32_t kMostShift = 31;
    const float scale = scale_of(op.in(0U));
    const float power = std::log(scale) * (1.0F / std::log(2.0F));
    const std::int32_t spare = static_cast<std::int32_t>(std::round(power)) + kFractionBits;
    refdev::SigmoidInt16Arguments a{};
    a.count = op.in(0U).elements;
    a.op = kind;
    if ((std::fabs(power - std::round(power)) < kNearPower) && (spare >= 0) && (spare <= most_spare_bits)) {
        a.multiplier = 3 * (1 << spare);
    } else {
        double multiplier = 3.0 * std::ldexp(static_cast<double>(scale), kFractionBits);
        for (; (multiplier <= (INT16_MAX / 2.0)) && (a.shift < kMostShift); a.shift += 1) {
            multiplier *= 2.0;
        }
        if (multiplier >= (INT16_MAX + 1.0)) {
            Operation::not_understood("steps of its input that are too coarse");
        }
        a.multiplier = static_cast<std::int32_t>(multiplier);
    }
    op.compute(KernelId::kSigmoidInt16, a, {op.bytes(0U), sigmoid_table()});
}

void logistic(Operation& op) {
    if (is_int16(op.in(0U))) {
        curve_by_table(op, refdev::SigmoidOp::kLogistic, 0);
        return;
    }
    bounded_curve(op, 23U, kLeast, [](std::int32_t x) {
        constexpr std::uint32_t kIntegerBits = 4U;
        constexpr std::int32_t kHalf = 1 << 30;
        const std::int32_t upper = refdev::one_over_one_plus(refdev::exp_of_negative<kIntegerBits>(-std::abs(x)));
        return (x == 0) ? kHalf : ((x > 0) ? upper : (INT32_MAX - upper));
    });
}

void tanh(Operation& op) {
    if (is_int16(op.in(0U))) {
        curve_by_table(op, refdev::SigmoidOp::kTanh, 1);
        return;
    }
    bounded_curve(op, 24U, 0, [](std::int32_t x) {
        constexpr std::uint32_t kIntegerBits = 5U;  // of twice the number
        const std::int32_t upper = refdev::one_minus_over_one_plus(refdev::exp_of_negative<kIntegerBits>(-std::abs(x)));
        return (x == 0) ? 0 : ((x > 0) ? upper : -upper);
    });
}

// In 16 bits: products are halved 15 times, once with rounding and once without.
std::int64_t in_16_bits(std::int64_t value) {
    return std::clamp<std::int64_t>(value, INT16_MIN, INT16_MAX);
}

std::int64_t rounded_product(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t kOne = 1 << 15;
    const std::int64_t product = a * b;
    return in_16_bits((product + ((product >= 0) ? (kOne / 2) : (1 - (kOne / 2)))) / kOne);
}

std::int64_t upper_half(std::int32_t mantissa) {
    constexpr std::int64_t kUnit = 1 << 16;
    return std::min<std::int64_t>((std::int64_t{mantissa} + (kUnit / 2)) / kUnit, INT16_MAX);
}

void hard_swish(Operation& op) {
    constexpr float kThree = 3.0F / 32768.0F;
    const float fine = scale_of(op.in(0U)) / 128.0F;
    const Multiplier output = multiplier_of(static_cast<double>(fine / scale_of(op.out())));
    const Multiplier gate = multiplier_of(static_cast<double>(fine / kThree));
    const std::int32_t from = zero_point_of(op.in(0U));
    const std::int32_t to = zero_point_of(op.out());
    lookup(op, [=](std::int32_t value) {
        constexpr std::int64_t kOne = 1 << 15;
        const std::int64_t x = std::int64_t{value - from} * 128;
        std::int64_t y = x;
        if (gate.shift > 0) {
            y = in_16_bits(y * (std::int64_t{1} << static_cast<std::uint32_t>(gate.shift - 1)));
        }
        y = rounded_product(y, upper_half(gate.mantissa));
        y = (gate.shift > 0)
                ? in_16_bits(y * 2)
                : refdev::rounding_shift_right(static_cast<std::int32_t>(y), static_cast<std::uint32_t>(-gate.shift));
        const std::int64_t open = (y + kOne) / 2;  // not below 0
        const std::int64_t product = in_16_bits((open * rounded_product(x, upper_half(output.mantissa))) / kOne);
        return std::int64_t{refdev::rounding_shift_right(static_cast<std::int32_t>(product),
                                                         static_cast<std::uint32_t>(-output.shift))} +
               to;
    });
}

// 1 / sqrt(value) by Newton's method in fixed point with three integer bits.
Multiplier inverse_root(std::int32_t value) {
    constexpr std::int32_t kOne = 1 << 28;
    constexpr std::int32_t kRootOfHalf = 1518500250;
    if (value == 1) {
        return {INT32_MAX, 0};
    }
    std::int32_t quarters = 0;
    std::int32_t x4 = value;
    for (; x4 < (kOne / 2); x4 *= 4) {
        quarters += 1;
    }
    const auto high = [](std::int32_t a, std::int32_t b) { return refdev::rounding_doubling_high_multiply(a, b); };
    const std::int32_t half = refdev::rounding_shift_right(x4 / 2, 1U);
    std::int32_t root = kOne;
    for (int step = 0; step < 5; ++step) {
        const std::int32_t cube = refdev::saturating_shift_left(high(high(root, root), root), 6U);
        root = refdev::saturating_shift_left(refdev::wrapping_subtract(high(kOne + (kOne / 2), root), high(half, cube)),
                                             3U);
    }
    const std::int32_t shift = quarters - 11;
    root = high(root, kRootOfHalf);
    return (shift > 0) ? Multiplier{refdev::wrapping_shift_left(root, static_cast<std::uint32_t>(shift)), 0}
                       : Multiplier{root, shift};
}

void rsqrt(Operation& op) {
    constexpr std::int32_t kFractionBits = 20;
    const Multiplier scale =
        multiplier_of(1.0 / static_cast<double>(std::sqrt(scale_of(op.in(0U))) * scale_of(op.out())));
    const std::int32_t from = zero_point_of(op.in(0U));
    const std::int32_t to = zero_point_of(op.out());
    lookup(op, [=](std::int32_t value) -> std::int64_t {
        if (value <= from) {
            return kMost;
        }
        const Multiplier root = inverse_root(value - from);
        const auto fraction = static_cast<std::int32_t>(times(1, {root.mantissa, root.shift + kFractionBits}));
        return times(fraction, {scale.mantissa, scale.shift - kFractionBits}) + to;
    });
}

void logical_not(Operation& op) {
    lookup(op, [](std::int32_t value) { return std::int64_t{value == 0}; });
}

template <typename Arguments>
void between_real(Operation& op, KernelId kernel, const Tensor& quantised) {
    const float scale = scale_of(quantised);
    Arguments a{};
    a.count = op.in(0U).elements;
    a.type = static_cast<std::uint32_t>(tflite::element_type(quantised.type));
    std::memcpy(&a.scale, &scale, sizeof(scale));
    a.zero_point = zero_point_of(quantised);
    op.compute(kernel, a, {op.bytes(0U)});
}

void dequantize(Operation& op) {
    between_real<refdev::DequantizeArguments>(op, KernelId::kDequantize, op.in(0U));
}

void quantize(Operation& op) {
    const std::int8_t from_type = op.in(0U).type;
    const std::int8_t to_type = op.out().type;
    if (from_type == tflite::kTypeFloat32) {
        between_real<refdev::QuantizeArguments>(op, KernelId::kQuantize, op.out());
        return;
    }
    const Multiplier scale = exact_ratio_of(op);
    const std::int32_t from = zero_point_of(op.in(0U));
    const std::int32_t to = zero_point_of(op.out());
    if ((from_type == tflite::kTypeUint8) || (to_type == tflite::kTypeUint8)) {
        lookup(op, [=](std::int32_t value) { return times(value - from, scale) + to; }, bounds_of_type(to_type));
        return;
    }
    if ((from_type != tflite::kTypeInt8) || (to_type != tflite::kTypeInt8)) {
        rescale(op, scale, scale, bounds_of_type(to_type));
        return;
    }
    op.compute(KernelId::kRequantize,
               refdev::RequantizeArguments{0U, 0U, op.in(0U).elements, from, scale.mantissa, scale.shift, to},
               {op.bytes(0U)});
}

constexpr std::array<FixedNumbers, 2> kLogistic{
    {{tflite::kTypeInt8, tflite::kTypeInt8, 0x1p-8F, INT8_MIN}, {tflite::kTypeInt16, tflite::kTypeInt16, 0x1p-15F, 0}}};
constexpr std::array<FixedNumbers, 2> kTanh{
    {{tflite::kTypeInt8, tflite::kTypeInt8, 0x1p-7F, 0}, {tflite::kTypeInt16, tflite::kTypeInt16, 0x1p-15F, 0}}};

constexpr std::array<Entry, 14> kFunctions{{{format::BuiltinOperator_RELU, relu, kSameType},
                                            {format::BuiltinOperator_RELU6, relu6, kSameType},
                                            {format::BuiltinOperator_RELU_N1_TO_1, relu_n1_to_1, kSameType},
                                            {format::BuiltinOperator_LEAKY_RELU, leaky_relu, kSameType},
                                            {format::BuiltinOperator_ABS, absolute, kSameType},
                                            {format::BuiltinOperator_ELU, elu, kSameType},
                                            {format::BuiltinOperator_EXP, exponential, kSameType},
                                            {format::BuiltinOperator_LOGISTIC, logistic, kSameType, nullptr, kLogistic},
                                            {format::BuiltinOperator_TANH, tanh, kSameType, nullptr, kTanh},
                                            {format::BuiltinOperator_HARD_SWISH, hard_swish, kSameType},
                                            {format::BuiltinOperator_RSQRT, rsqrt, kSameType},
                                            {format::BuiltinOperator_LOGICAL_NOT, logical_not, {Kept::kTruth, kFirst}},
                                            {format::BuiltinOperator_QUANTIZE, quantize},
                                            {format::BuiltinOperator_DEQUANTIZE, dequantize}}};

}  // namespace

Entries function_operators() {
    return kFunctions;
}

}  // namespace pianola::decompile
