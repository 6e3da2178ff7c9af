#include "capture_host/decompile/scales.h"

#include <algorithm>
#include <cmath>

#include "capture_host/decompile/operation.h"

namespace pianola::decompile {
namespace {

// A real number in a tensor's steps, the quotient in single precision.
std::int32_t steps_of(float real, const Tensor& tensor, const Bounds& bounds) {
    const double steps = static_cast<double>(std::round(real / scale_of(tensor))) + zero_point_of(tensor);
    return static_cast<std::int32_t>(
        std::clamp(steps, static_cast<double>(bounds.lowest), static_cast<double>(bounds.highest)));
}

}  // namespace

Multiplier multiplier_of(double real) {
    constexpr double kOne = 2147483648.0;
    constexpr int kLeastShift = -31;
    constexpr int kMostShift = 30;
    if (!std::isfinite(real) || (real < 0.0)) {
        Operation::not_understood("a ratio of scales that is no positive number");
    }
    int shift = 0;
    double mantissa = std::round(std::frexp(real, &shift) * kOne);
    if (mantissa >= kOne) {
        mantissa /= 2.0;
        shift += 1;
    }
    if ((mantissa == 0.0) || (shift < kLeastShift)) {
        return {};
    }
    if (shift > kMostShift) {
        Operation::not_understood("a ratio of scales that is out of range");
    }
    return {static_cast<std::int32_t>(mantissa), shift};
}

Bounds bounds_of_type(std::int8_t type) {
    switch (type) {
        case tflite::kTypeInt16:
            return {INT16_MIN, INT16_MAX};
        case tflite::kTypeUint8:
            return {0, UINT8_MAX};
        case tflite::kTypeInt32:
            return {INT32_MIN, INT32_MAX};
        default:
            return {INT8_MIN, INT8_MAX};
    }
}

Bounds bounds_of(int activation, const Tensor& tensor) {
    Bounds bounds = bounds_of_type(tensor.type);
    const Bounds whole = bounds;
    if (activation == kReluN1To1) {
        bounds = {steps_of(-1.0F, tensor, whole), steps_of(1.0F, tensor, whole)};
    } else if ((activation == kRelu) || (activation == kRelu6)) {
        bounds.lowest = steps_of(0.0F, tensor, whole);
        bounds.highest = (activation == kRelu6) ? steps_of(6.0F, tensor, whole) : whole.highest;
    } else if (activation != 0) {
        Operation::not_understood("a fused activation");
    } else {
        // None.
    }
    return bounds;
}

}  // namespace pianola::decompile
