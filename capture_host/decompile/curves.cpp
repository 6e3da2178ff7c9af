#include "capture_host/decompile/curves.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "capture_host/decompile/operation.h"
#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::decompile {
namespace {

// In single precision throughout: the entry halves what interpolation misses in the middle between it and the next.
void append_curve(Tokens& table, const std::function<float(float)>& curve, float lowest, float highest) {
    constexpr auto kLast = static_cast<std::int32_t>(refdev::kSoftmaxTableEntries - 1U);
    constexpr float kOutputStep = 2.0F / 65535.0F;
    constexpr float kOne =
        65536.0F / (kOutputStep * static_cast<float>(INT16_MAX) - kOutputStep * static_cast<float>(INT16_MIN));
    const float step = (highest - lowest) / static_cast<float>(kLast);
    const auto value = [&](float x) { return curve(x) * kOne; };
    for (std::int32_t i = 0; i <= kLast; ++i) {
        const float x = lowest + (static_cast<float>(i) * step);
        float entry = std::round(value((i == kLast) ? highest : x));
        if (i < kLast) {
            const float after = value(lowest + (static_cast<float>(i + 1) * step));
            const float error = std::round((after + entry) / 2.0F) - std::round(value(x + (step / 2.0F)));
            entry -= std::round(error / 2.0F);
        }
        const float bounded = std::clamp(entry, static_cast<float>(INT16_MIN), static_cast<float>(INT16_MAX));
        append_integer(table, static_cast<std::int64_t>(bounded), sizeof(std::int16_t));
    }
}

}  // namespace

Tokens sigmoid_table() {
    constexpr auto kEntries = static_cast<std::int32_t>(refdev::kSigmoidTableEntries);
    const auto curve = [](double entry) { return 65536.0 / (1.0 + std::exp(-entry / 24.0)); };
    Tokens table;
    for (std::int32_t i = 0; (i + 1) < kEntries; ++i) {
        // Corrected like the entries of append_curve(), but rounded once.
        const double middle = (curve(i) + curve(i + 1)) / 2.0;
        const double entry = std::round(curve(i) + ((curve(i + 0.5) - middle) / 2.0));
        append_integer(table, static_cast<std::int64_t>(entry), sizeof(std::uint16_t));
    }
    append_integer(table, UINT16_MAX, sizeof(std::uint16_t));
    return table;
}

Tokens softmax_tables() {
    constexpr float kSteps = 65535.0F;
    Tokens tables;
    append_curve(
        tables, [](float x) { return static_cast<float>(std::exp(static_cast<double>(x))); },
        (10.0F / kSteps) * -kSteps, 0.0F);
    append_curve(tables, [](float x) { return 1.0F / (1.0F + x); }, 0.0F, (1.0F / kSteps) * kSteps);
    return tables;
}

}  // namespace pianola::decompile
