#include "capture_host/operators/recurrent_arguments.h"

#include <algorithm>
#include <cmath>

#include "capture_host/operators/channel_table.h"
#include "capture_host/operators/function_tables.h"
#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::operators {
namespace {

using Arguments = refdev::LstmArguments;

constexpr float kGateScale = 0x1p-12F;
constexpr float kUnitScale = 0x1p-15F;  // of sigmoid and hyperbolic tangent

bool set_gates(const LstmScales& scales, Arguments& arguments) {
    const std::int32_t most = (arguments.type == refdev::kTypeInt16) ? refdev::kMaxWideShift : refdev::kMaxShift;
    for (std::size_t gate = 0U; gate < refdev::kLstmGates; ++gate) {
        const std::optional<FixedPoint> input =
            common_scale(scales.input.scale, scales.input_weights.at(gate), kGateScale);
        const std::optional<FixedPoint> hidden =
            common_scale(scales.hidden.scale, scales.hidden_weights.at(gate), kGateScale);
        if (!input.has_value() || !hidden.has_value() || (input->shift > most) || (hidden->shift > most)) {
            return false;
        }
        arguments.gates.at(gate) = {input->multiplier, input->shift, hidden->multiplier, hidden->shift};
    }
    return true;
}

std::optional<FixedPoint> product_scale(float left, float right, float product) {
    return quantize_multiplier((static_cast<double>(left) * static_cast<double>(right)) / static_cast<double>(product));
}

bool set_products(const LstmScales& scales, Arguments& arguments) {
    const std::optional<FixedPoint> forget = product_scale(kUnitScale, scales.cell, scales.cell);
    const std::optional<FixedPoint> admit = product_scale(kUnitScale, kUnitScale, scales.cell);
    const std::optional<FixedPoint> emit = product_scale(kUnitScale, kUnitScale, scales.hidden.scale);
    if (!forget.has_value() || !admit.has_value() || !emit.has_value()) {
        return false;
    }
    arguments.forget_multiplier = forget->multiplier;
    arguments.forget_shift = forget->shift;
    arguments.admit_multiplier = admit->multiplier;
    arguments.admit_shift = admit->shift;
    arguments.emit_multiplier = emit->multiplier;
    arguments.emit_shift = emit->shift;
    return true;
}

// Scales the cell to the table's steps: a multiplication, and a shift if the cell's steps are finer.
bool set_cell(const LstmScales& scales, Arguments& arguments) {
    constexpr float kReach = 12.0F;
    constexpr float kMaxLeftShift = 14.0F;
    constexpr float kMaxRightShift = 15.0F;
    // As in the published operator: the power of two nearest to the scale.
    const float shift = std::round(std::log(scales.cell) * (1.0F / std::log(2.0F))) + kReach;
    if (!((shift <= kMaxLeftShift) && (shift >= -kMaxRightShift))) {
        return false;
    }
    arguments.cell_multiplier = 3;
    arguments.cell_shift = 0;
    if (shift >= 0.0F) {
        arguments.cell_multiplier *= static_cast<std::int32_t>(std::lround(std::exp2(shift)));
    } else {
        arguments.cell_shift = static_cast<std::int32_t>(std::lround(-shift));
    }
    const double clip = static_cast<double>(scales.cell_clip);
    const double steps = std::min(clip / static_cast<double>(scales.cell), double{INT16_MAX});
    arguments.cell_clip = (clip > 0.0) ? static_cast<std::int32_t>(steps) : refdev::kLstmUnclipped;
    return true;
}

}  // namespace

std::optional<SvdfArguments> svdf_arguments(const SvdfSizes& sizes, const SvdfScales& scales) {
    const auto& [input, features, memory, weights, output] = scales;
    // In single precision, as in the scheme.
    const std::optional<FixedPoint> first =
        quantize_multiplier(static_cast<double>((input.scale * features) / memory.scale));
    const std::optional<FixedPoint> second =
        quantize_multiplier(static_cast<double>((memory.scale * weights) / output.scale));
    if (!first.has_value() || !second.has_value()) {
        return std::nullopt;
    }
    SvdfArguments arguments;
    arguments.feature = {0U,
                         0U,
                         0U,
                         sizes.batches,
                         sizes.input_depth,
                         sizes.filters,
                         sizes.length,
                         sizes.type,
                         -input.zero_point,
                         first->multiplier,
                         first->shift,
                         memory.zero_point};
    arguments.time = {0U,
                      0U,
                      0U,
                      0U,
                      sizes.batches,
                      sizes.filters / sizes.rank,
                      sizes.rank,
                      sizes.length,
                      sizes.type,
                      -memory.zero_point,
                      second->multiplier,
                      second->shift,
                      output.zero_point};
    return arguments;
}

refdev::LstmArguments lstm_arguments(const std::vector<std::uint32_t>& shape, bool time_major, std::uint32_t units,
                                     std::uint32_t type) {
    refdev::LstmArguments arguments{};
    arguments.batches = shape.at(time_major ? 1U : 0U);
    arguments.steps = shape.at(time_major ? 0U : 1U);
    arguments.input_depth = shape.at(2U);
    arguments.units = units;
    arguments.time_major = time_major ? 1U : 0U;
    arguments.type = type;
    return arguments;
}

LstmScaling set_lstm_scales(const LstmScales& scales, refdev::LstmArguments& arguments) {
    arguments.input_offset = -scales.input.zero_point;
    arguments.hidden_offset = -scales.hidden.zero_point;
    if (!set_products(scales, arguments) || !set_gates(scales, arguments)) {
        return LstmScaling::kRatioOutOfRange;
    }
    return set_cell(scales, arguments) ? LstmScaling::kAccepted : LstmScaling::kCellOutOfRange;
}

LstmConstants lstm_constants(const std::array<LstmGate, refdev::kLstmGates>& gates, std::uint32_t type) {
    const std::uint32_t sum_bytes = (type == refdev::kTypeInt16) ? refdev::kWideSumBytes : refdev::kNarrowSumBytes;
    LstmConstants constants;
    for (const LstmGate& gate : gates) {
        const std::size_t units = gate.bias.size();
        for (std::size_t unit = 0U; unit < units; ++unit) {
            for (const std::vector<std::uint8_t>* const weights : {&gate.input_weights, &gate.hidden_weights}) {
                const auto columns = static_cast<std::ptrdiff_t>(weights->size() / units);
                const auto row = weights->begin() + (static_cast<std::ptrdiff_t>(unit) * columns);
                constants.weights.insert(constants.weights.end(), row, row + columns);
            }
        }
        const std::vector<std::uint8_t> biases = bytes_of(gate.bias, sum_bytes);
        constants.parameters.insert(constants.parameters.end(), biases.begin(), biases.end());
    }
    const std::vector<std::uint8_t> table = sigmoid_table();
    constants.parameters.insert(constants.parameters.end(), table.begin(), table.end());
    return constants;
}

}  // namespace pianola::operators
