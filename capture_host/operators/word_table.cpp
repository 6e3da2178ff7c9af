#include "capture_host/operators/word_table.h"

#include <algorithm>
#include <cmath>

namespace pianola::operators {
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
