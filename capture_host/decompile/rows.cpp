#include <algorithm>
#include <cmath>

#include "capture_host/decompile/curves.h"
#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/scales.h"
#include "capture_host/decompile/shapes.h"
#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;
using refdev::KernelId;

// Differences within a row, with five integer bits, and the least that counts.
struct Differences {
    Multiplier scale;
    std::int32_t least{0};
};

Differences differences_of(double step) {
    constexpr double kUnit = 67108864.0;  // 2^26
    constexpr double kLargest = 2147483647.0;
    constexpr double kMostDifference = 31.0;
    constexpr double kTooLarge = 1073741823.75;  // rounded to 31 bits, 2^30
    const double real = std::min(step * kUnit, kLargest);
    if (real >= kTooLarge) {
        return {multiplier_of(real / 2.0), 0};  // a difference of 1 does not count: only 0 is scaled, by any shift
    }
    const Multiplier scale = multiplier_of(real);
    if (scale.shift < 0) {
        Operation::not_understood("steps of its input that are too fine");
    }
    return {scale, -static_cast<std::int32_t>(std::floor(std::ldexp(kMostDifference * kUnit, -scale.shift)))};
}

template <typename Arguments>
Arguments rows_of(const Operation& op) {
    if (op.in(0U).shape.empty()) {
        Operation::not_understood("an input without dimensions");
    }
    Arguments a{};
    a.depth = op.in(0U).shape.back();
    a.rows = op.in(0U).elements / a.depth;
    return a;
}

void softmax(Operation& op) {
    constexpr double kTableStep = 10.0 / 65535.0;
    const double step =
        static_cast<double>(op.options<format::SoftmaxOptions>().beta()) * static_cast<double>(scale_of(op.in(0U)));
    if (is_int16(op.in(0U))) {
        auto a = rows_of<refdev::SoftmaxInt16Arguments>(op);
        const Multiplier scale = multiplier_of(step / kTableStep);
        a.multiplier = scale.mantissa;
        a.shift = scale.shift;
        op.compute(KernelId::kSoftmaxInt16, a, {op.bytes(0U), softmax_tables()});
        return;
    }
    auto a = rows_of<refdev::SoftmaxArguments>(op);
    const Differences differences = differences_of(step);
    a.input_multiplier = differences.scale.mantissa;
    a.input_left_shift = differences.scale.shift;
    a.diff_min = differences.least;
    a.output_type = static_cast<std::uint32_t>(tflite::element_type(op.out().type));
    op.compute(KernelId::kSoftmax, a, {op.bytes(0U)});
}

// Its logarithm is scaled back by the inverse.
void log_softmax(Operation& op) {
    constexpr int kFractionBits = 31;
    auto a = rows_of<refdev::LogSoftmaxArguments>(op);
    const Differences differences = differences_of(static_cast<double>(scale_of(op.in(0U))));
    const Multiplier reverse = multiplier_of(std::ldexp(1.0, kFractionBits - differences.scale.shift) /
                                             static_cast<double>(differences.scale.mantissa));
    a.input_multiplier = differences.scale.mantissa;
    a.input_left_shift = differences.scale.shift;
    a.diff_min = differences.least;
    a.reverse_multiplier = reverse.mantissa;
    a.reverse_shift = reverse.shift;
    op.compute(KernelId::kLogSoftmax, a, {op.bytes(0U)});
}

void l2_normalization(Operation& op) {
    if (op.options<format::L2NormOptions>().fused_activation_function() != 0) {
        Operation::not_understood("a fused activation");
    }
    auto a = rows_of<refdev::L2NormalizationArguments>(op);
    a.input_zero_point = zero_point_of(op.in(0U));
    op.compute(KernelId::kL2Normalization, a, {op.bytes(0U)});
}

constexpr float kThousandth = 0.001F;
constexpr std::array<FixedNumbers, 3> kShares{
    {{tflite::kTypeInt8, tflite::kTypeInt8, 0x1p-8F, INT8_MIN},
     {tflite::kTypeInt8, tflite::kTypeInt16, 0x1p-16F, INT16_MIN, kThousandth},
     {tflite::kTypeInt16, tflite::kTypeInt16, 0x1p-15F, 0, kThousandth}}};
constexpr std::array kLogarithms{FixedNumbers{tflite::kTypeInt8, tflite::kTypeInt8, 0x1p-4F, INT8_MAX}};
constexpr std::array kDirections{FixedNumbers{tflite::kTypeInt8, tflite::kTypeInt8, 0x1p-7F, 0}};

constexpr std::array<Entry, 3> kRows{
    {{format::BuiltinOperator_SOFTMAX, softmax, kNothing, shaped<shapes::kept>, kShares},
     {format::BuiltinOperator_LOG_SOFTMAX, log_softmax, kSameType, shaped<shapes::kept>, kLogarithms},
     {format::BuiltinOperator_L2_NORMALIZATION, l2_normalization, kSameType, shaped<shapes::kept>, kDirections}}};

}  // namespace

Entries row_operators() {
    return kRows;
}

}  // namespace pianola::decompile
