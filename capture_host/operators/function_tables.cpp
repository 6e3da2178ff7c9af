#include "capture_host/operators/function_tables.h"

#include <algorithm>
#include <cmath>

#include "hal/devices/refdev/kernels/exponential.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/inverse_square_root.h"

namespace pianola::operators {
namespace {

constexpr std::uint32_t kInputIntegerBits = 4U;  // of the arguments of logistic and tanh
constexpr ActivationRange kInt8{};

template <typename Function>
ByteTable table_of(Function function) {
    ByteTable table{};
    for (std::int32_t value = INT8_MIN; value <= INT8_MAX; ++value) {
        table.at(static_cast<std::uint8_t>(value)) = function(value);
    }
    return table;
}

std::int32_t scaled(std::int32_t value, const FixedPoint& scale) {
    return refdev::Scale{scale.multiplier, scale.shift}.apply(value);
}

std::int32_t clamped(std::int64_t value, const ActivationRange& range) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, range.min, range.max));
}

// A function that saturates at both ends: inputs have 4 integer bits, results lose `dropped_bits`, rounded.
template <typename Function>
std::optional<ByteTable> sigmoid_table(const Affine& from, std::uint32_t dropped_bits, std::int32_t output_zero_point,
                                       Function function) {
    const double unit = static_cast<double>(std::int64_t{1} << (31U - kInputIntegerBits));
    const std::optional<FixedPoint> scale = quantize_multiplier(static_cast<double>(from.scale) * unit);
    if (!scale.has_value() || (scale->multiplier == 0) || (scale->shift < 0)) {
        return std::nullopt;
    }
    const double largest = static_cast<double>((1 << kInputIntegerBits) - 1) * unit;
    const auto radius = static_cast<std::int32_t>(
        std::floor(largest / static_cast<double>(std::int64_t{1} << static_cast<std::uint32_t>(scale->shift))));
    return table_of([&](std::int32_t value) {
        const std::int32_t centred = value - from.zero_point;
        if (centred <= -radius) {
            return kInt8.min;
        }
        if (centred >= radius) {
            return kInt8.max;
        }
        const std::int32_t result = function(scaled(centred, *scale));
        return clamped(refdev::rounding_shift_right(result, dropped_bits) + output_zero_point, kInt8);
    });
}

// A function that the scheme computes in single precision, between two scales.
template <typename Function>
std::optional<ByteTable> single_precision_table(const Affine& from, const Affine& to, Function function) {
    const float inverse_scale = 1.0F / to.scale;
    if (!std::isfinite(inverse_scale)) {
        return std::nullopt;
    }
    return table_of([&](std::int32_t value) {
        const float x = from.scale * static_cast<float>(value - from.zero_point);
        const float steps = std::round(function(x) * inverse_scale) + static_cast<float>(to.zero_point);
        constexpr float kBeyond = 65536.0F;
        return clamped(static_cast<std::int64_t>(std::clamp(steps, -kBeyond, kBeyond)), kInt8);
    });
}

std::int32_t logistic(std::int32_t x) {
    constexpr std::int32_t kHalf = 1 << 30;
    if (x == 0) {
        return kHalf;
    }
    const std::int32_t positive =
        refdev::one_over_one_plus(refdev::exp_of_negative<kInputIntegerBits>((x > 0) ? -x : x));
    return (x > 0) ? positive : (INT32_MAX - positive);
}

std::int32_t hyperbolic_tangent(std::int32_t x) {
    if (x == 0) {
        return 0;
    }
    // For twice the number, which is the same word with one more integer bit.
    const std::int32_t magnitude =
        refdev::one_minus_over_one_plus(refdev::exp_of_negative<kInputIntegerBits + 1U>((x > 0) ? -x : x));
    return (x > 0) ? magnitude : -magnitude;
}

// 16-bit arithmetic, used by hard_swish only.

std::int32_t to_int16(std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, INT16_MIN, INT16_MAX));
}

// a * b / 2^15, rounded to nearest; a tie of a negative product is rounded away from 0 by the scheme's nudge.
std::int32_t rounding_high_multiply16(std::int32_t a, std::int32_t b) {
    const std::int64_t product = std::int64_t{a} * b;
    const std::int64_t nudge = (product >= 0) ? (1 << 14) : (1 - (1 << 14));
    return to_int16((product + nudge) / (1 << 15));
}

std::int32_t high_multiply16(std::int32_t a, std::int32_t b) {
    return to_int16((std::int64_t{a} * b) / (1 << 15));
}

std::int32_t to_16_bits(std::int32_t multiplier) {
    constexpr std::int32_t kHalf = 1 << 15;
    return (multiplier >= (INT32_MAX - kHalf)) ? INT16_MAX : ((multiplier + kHalf) / (1 << 16));
}

struct HardSwish {
    Affine from;
    Affine to;
    std::int32_t output_multiplier{0};
    std::int32_t output_exponent{0};
    std::int32_t gate_multiplier{0};
    std::int32_t gate_exponent{0};

    // (x + 3) / 6 between 0 and 1, with 15 fraction bits; x has 7 bits more than the input.
    [[nodiscard]] std::int32_t gate(std::int32_t x) const {
        const auto shifted = [](std::int32_t value, std::int32_t bits) {
            return to_int16(std::int64_t{value} * (std::int64_t{1} << static_cast<std::uint32_t>(bits)));
        };
        const bool to_left = gate_exponent > 0;
        std::int32_t value = rounding_high_multiply16(to_left ? shifted(x, gate_exponent - 1) : x, gate_multiplier);
        value = to_left ? shifted(value, 1)
                        : refdev::rounding_shift_right(value, static_cast<std::uint32_t>(-gate_exponent));
        return refdev::floor_shift_right(value + (1 << 15), 1U);
    }

    [[nodiscard]] std::int32_t operator()(std::int32_t value) const {
        const std::int32_t x = (value - from.zero_point) * (1 << 7);
        const std::int32_t product = high_multiply16(gate(x), rounding_high_multiply16(x, output_multiplier));
        const std::int32_t result = refdev::rounding_shift_right(product, static_cast<std::uint32_t>(-output_exponent));
        return clamped(std::int64_t{result} + to.zero_point, kInt8);
    }
};

}  // namespace

std::optional<ByteTable> logistic_table(const Affine& from) {
    return sigmoid_table(from, 23U, INT8_MIN, logistic);
}

std::optional<ByteTable> tanh_table(const Affine& from) {
    return sigmoid_table(from, 24U, 0, hyperbolic_tangent);
}

std::optional<ByteTable> hard_swish_table(const Affine& from, const Affine& to) {
    constexpr float kGateScale = 3.0F / 32768.0F;
    constexpr std::int32_t kMostRight =
        -15;  // the reference shifts results within 16 bits, so a larger shift does not fit
    const float fine_scale = (1.0F / 128.0F) * from.scale;
    const std::optional<FixedPoint> output = quantize_multiplier(static_cast<double>(fine_scale / to.scale));
    const std::optional<FixedPoint> gate = quantize_multiplier(static_cast<double>(fine_scale / kGateScale));
    if (!output.has_value() || !gate.has_value() || (output->shift > 0) || (output->shift < kMostRight) ||
        (gate->shift < kMostRight)) {
        return std::nullopt;
    }
    return table_of(
        HardSwish{from, to, to_16_bits(output->multiplier), output->shift, to_16_bits(gate->multiplier), gate->shift});
}

std::optional<ByteTable> elu_table(const Affine& from, const Affine& to) {
    return single_precision_table(from, to, [](float x) { return (x < 0.0F) ? (std::exp(x) - 1.0F) : x; });
}

std::optional<ByteTable> exp_table(const Affine& from, const Affine& to) {
    return single_precision_table(from, to,
                                  [](float x) { return static_cast<float>(std::exp(static_cast<double>(x))); });
}

std::optional<ByteTable> abs_table(const Affine& from, const Affine& to) {
    const std::optional<FixedPoint> scale = quantize_multiplier(static_cast<double>(from.scale / to.scale));
    if (!scale.has_value()) {
        return std::nullopt;
    }
    return table_of([&](std::int32_t value) {
        return clamped(std::int64_t{scaled(std::abs(value - from.zero_point), *scale)} + to.zero_point, kInt8);
    });
}

std::optional<ByteTable> rsqrt_table(const Affine& from, const Affine& to) {
    constexpr std::int32_t kFractionBits = 20;
    const std::optional<FixedPoint> scale =
        quantize_multiplier(1.0 / static_cast<double>(std::sqrt(from.scale) * to.scale));
    if (!scale.has_value()) {
        return std::nullopt;
    }
    return table_of([&](std::int32_t value) {
        const std::int32_t centred = value - from.zero_point;
        if (centred <= 0) {
            return kInt8.max;
        }
        const refdev::RootScale root = refdev::inverse_square_root(centred);
        const std::int32_t fraction = scaled(1, {root.multiplier, root.shift + kFractionBits});
        const std::int32_t result = scaled(fraction, {scale->multiplier, scale->shift - kFractionBits});
        return clamped(std::int64_t{result} + to.zero_point, kInt8);
    });
}

std::optional<ByteTable> relu_table(const Affine& from, const Affine& to, const ActivationRange& range) {
    const std::optional<FixedPoint> scale = quantize_multiplier(static_cast<double>(from.scale / to.scale));
    if (!scale.has_value()) {
        return std::nullopt;
    }
    return table_of([&](std::int32_t value) {
        return clamped(std::int64_t{scaled(value - from.zero_point, *scale)} + to.zero_point, range);
    });
}

std::optional<ByteTable> leaky_relu_table(const Affine& from, const Affine& to, float alpha) {
    const std::optional<FixedPoint> identity = quantize_multiplier(static_cast<double>(from.scale / to.scale));
    // A negative slope is rounded by its magnitude.
    const std::optional<FixedPoint> slope =
        quantize_multiplier(std::fabs(static_cast<double>(from.scale * alpha / to.scale)));
    if (!identity.has_value() || !slope.has_value()) {
        return std::nullopt;
    }
    return table_of([&](std::int32_t value) {
        const std::int32_t centred = value - from.zero_point;
        const std::int64_t below = (alpha < 0.0F) ? -std::int64_t{scaled(centred, *slope)} : scaled(centred, *slope);
        return clamped(((centred >= 0) ? scaled(centred, *identity) : below) + to.zero_point, kInt8);
    });
}

std::optional<ByteTable> requantize_table(const Affine& from, bool from_signed, const Affine& to, bool to_signed) {
    const std::optional<FixedPoint> scale =
        quantize_multiplier(static_cast<double>(from.scale) / static_cast<double>(to.scale));
    if (!scale.has_value()) {
        return std::nullopt;
    }
    const ActivationRange range = to_signed ? kInt8 : ActivationRange{0, UINT8_MAX};
    return table_of([&](std::int32_t value) {
        const std::int32_t number = from_signed ? value : static_cast<std::uint8_t>(value);
        return clamped(std::int64_t{scaled(number - from.zero_point, *scale)} + to.zero_point, range);
    });
}

ByteTable clamp_table(const ActivationRange& range) {
    return table_of([&](std::int32_t value) { return clamped(value, range); });
}

ByteTable logical_not_table() {
    return table_of([](std::int32_t value) { return (value == 0) ? 1 : 0; });
}

std::vector<std::uint8_t> bytes_of(const ByteTable& table) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(table.size());
    for (const std::int32_t entry : table) {
        bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(entry) & 0xFFU));
    }
    return bytes;
}

namespace {

constexpr std::uint32_t kByteBits = 8U;
constexpr std::uint32_t kByte = 0xFFU;

void store(std::vector<std::uint8_t>& bytes, std::int32_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    bytes.push_back(static_cast<std::uint8_t>(bits & kByte));
    bytes.push_back(static_cast<std::uint8_t>((bits >> kByteBits) & kByte));
}

double sigmoid_at(double index) {
    constexpr double kSteps = 24.0;
    constexpr double kOne = 65536.0;
    return kOne / (1.0 + std::exp(-index / kSteps));
}

float single_exp(float value) {
    return static_cast<float>(std::exp(static_cast<double>(value)));
}

float inverse_of_one_plus(float value) {
    return 1.0F / (1.0F + value);
}

// Every operation is in single precision, in the scheme's order.
template <typename Function>
void store_curve(std::vector<std::uint8_t>& bytes, Function function, float lowest, float highest) {
    constexpr std::int32_t kSteps = 512;
    constexpr float kUnit = 2.0F / 65535.0F;
    constexpr float kPerUnit = 65536.0F / ((kUnit * 32767.0F) - (kUnit * -32768.0F));
    const float step = (highest - lowest) / static_cast<float>(kSteps);
    const auto fitting = [](float value) { return static_cast<std::int32_t>(std::clamp(value, -32768.0F, 32767.0F)); };
    for (std::int32_t i = 0; i < kSteps; ++i) {
        const float at = lowest + (static_cast<float>(i) * step);
        const float sample = std::round(function(at) * kPerUnit);
        const float next = function(lowest + (static_cast<float>(i + 1) * step)) * kPerUnit;
        const float middle = std::round(function(at + (step / 2.0F)) * kPerUnit);
        const float missed = std::round((next + sample) / 2.0F) - middle;
        store(bytes, fitting(sample - std::round(missed / 2.0F)));
    }
    store(bytes, fitting(std::round(function(highest) * kPerUnit)));
}

}  // namespace

std::vector<std::uint8_t> sigmoid_table() {
    constexpr std::int32_t kLast = 255;
    constexpr std::int32_t kLargest = 65535;
    std::vector<std::uint8_t> bytes;
    for (std::int32_t i = 0; i < kLast; ++i) {
        const double here = sigmoid_at(i);
        const double lean = sigmoid_at(i + 0.5) - ((here + sigmoid_at(i + 1)) / 2.0);
        store(bytes, static_cast<std::int32_t>(std::round(here + (lean / 2.0))));
    }
    store(bytes, kLargest);
    return bytes;
}

std::optional<FixedPoint> sigmoid_scale(float scale, std::int32_t whole_shifts) {
    constexpr std::int32_t kTableBits = 12;
    constexpr std::int32_t kTableSteps = 3;
    constexpr float kLargestError = 1.0e-3F;
    constexpr std::int32_t kMostShifts = 31;
    const float power = std::log(scale) * (1.0F / std::log(2.0F));
    const float rounded = std::round(power);
    const auto whole = static_cast<std::int32_t>(rounded) + kTableBits;
    if ((std::fabs(power - rounded) < kLargestError) && (whole >= 0) && (whole < whole_shifts)) {
        return FixedPoint{kTableSteps << static_cast<std::uint32_t>(whole), 0};
    }
    double multiplier = static_cast<double>(scale) * (kTableSteps << kTableBits);
    std::int32_t shift = 0;
    while ((multiplier <= (INT16_MAX / 2.0)) && (shift < kMostShifts)) {
        multiplier *= 2.0;
        shift += 1;
    }
    if (!(multiplier < (INT16_MAX + 1.0))) {
        return std::nullopt;
    }
    return FixedPoint{static_cast<std::int32_t>(multiplier), shift};
}

std::vector<std::uint8_t> softmax_tables() {
    constexpr float kSteps = 65535.0F;
    constexpr float kTenth = 10.0F / kSteps;
    constexpr float kOne = 1.0F / kSteps;
    std::vector<std::uint8_t> bytes;
    store_curve(bytes, single_exp, kTenth * -kSteps, 0.0F);
    store_curve(bytes, inverse_of_one_plus, 0.0F, kOne * kSteps);
    return bytes;
}

}  // namespace pianola::operators
