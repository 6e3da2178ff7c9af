#include <algorithm>
#include <cmath>
#include <cstddef>

#include "capture_host/tflite/model/word_table.h"
#include "capture_host/tflite/operators/operators.h"
#include "hal/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

using Arguments = refdev::LstmArguments;

// Where the operator has its operands; those of the gates come in the kernel's order.
constexpr std::size_t kInputWeightsPosition = 1U;
constexpr std::size_t kHiddenWeightsPosition = 5U;
constexpr std::size_t kBiasPosition = 12U;
constexpr std::size_t kHiddenPosition = 18U;
constexpr std::size_t kCellPosition = 19U;
constexpr std::int8_t kTanh = 4;  // by its number among activations

constexpr float kGateScale = 0x1p-12F;
constexpr float kUnitScale = 0x1p-15F;  // of sigmoid and hyperbolic tangent

struct Layer {
    Int8Tensor input;
    QuantizedTensor hidden;
    QuantizedTensor cell;
    Int8Tensor output;
    std::uint32_t units{0U};
    std::uint32_t input_depth{0U};
};

// What some layers have besides, the published operator does not know.
void refuse_variants(const OperatorContext& context) {
    for (const std::size_t position : {9U, 10U, 11U, 16U, 17U, 20U, 21U, 22U, 23U}) {
        context.require(context.optional_input(position) == nullptr,
                        "peepholes, projections and normalised layers are not supported");
    }
    context.require(context.options<format::UnidirectionalSequenceLSTMOptions>().fused_activation_function() == kTanh,
                    "another activation than TANH is not supported");
}

Layer layer_of(const OperatorContext& context) {
    Layer layer{context.int8_input(0U, "input"), context.quantized_input(kHiddenPosition, "hidden state", {kTypeInt8}),
                context.quantized_input(kCellPosition, "cell state", {kTypeInt16}), context.int8_output()};
    const Tensor& input = *layer.input.tensor;
    context.require(input.shape.size() == 3U, "only an input of rank 3 is supported");
    context.require(layer.hidden.tensor->is_variable && layer.cell.tensor->is_variable,
                    "a state that is no variable tensor is not supported");
    const bool time_major = context.options<format::UnidirectionalSequenceLSTMOptions>().time_major();
    const std::uint32_t batches = input.shape[time_major ? 1U : 0U];
    layer.input_depth = input.shape[2];
    layer.units = layer.cell.tensor->elements / batches;
    const std::uint64_t steps = input.shape[time_major ? 0U : 1U];
    context.require(((std::uint64_t{layer.units} * batches) == layer.cell.tensor->elements) &&
                        (layer.hidden.tensor->elements == layer.cell.tensor->elements) &&
                        ((steps * layer.cell.tensor->elements) == layer.output.tensor->elements),
                    "the sizes of its states and its output do not fit each other");
    context.require((layer.input_depth <= refdev::kMaxTaps) && (layer.units <= refdev::kMaxTaps),
                    "so many columns of weights are not supported");
    context.require((layer.hidden.scale == layer.output.scale) && (layer.hidden.zero_point == layer.output.zero_point),
                    "different quantisation of hidden state and output is not supported");
    return layer;
}

const Tensor& gate_weights(const OperatorContext& context, std::size_t position, std::uint32_t units,
                           std::uint32_t depth) {
    const Tensor& weights = context.int8_constant(position, "weights");
    context.require((weights.quantization.scales.size() == 1U) && (weights.quantization.zero_points.front() == 0),
                    "weights with several scales or a zero point are not supported");
    context.require((weights.shape.size() == 2U) && (weights.shape[0] == units) && (weights.shape[1] == depth),
                    "the size of its weights does not fit its input and states");
    return weights;
}

refdev::LstmGateScales gate_scales(const OperatorContext& context, const Layer& layer, const Tensor& from_input,
                                   const Tensor& from_hidden) {
    const auto scale = [&context](float value, const Tensor& weights) {
        const std::optional<FixedPoint> found = common_scale(value, weights.quantization.scales.front(), kGateScale);
        context.require(found.has_value(), "the ratio of its scales is out of range");
        return *found;
    };
    const FixedPoint input = scale(layer.input.scale, from_input);
    const FixedPoint hidden = scale(layer.hidden.scale, from_hidden);
    return {input.multiplier, input.shift, hidden.multiplier, hidden.shift};
}

FixedPoint product_scale(const OperatorContext& context, float left, float right, float product) {
    return context.multiplier((static_cast<double>(left) * static_cast<double>(right)) / static_cast<double>(product));
}

// What brings the cell to the table's steps: a multiplication, and a shift where its own are finer.
void set_cell(const OperatorContext& context, float scale, Arguments& arguments) {
    constexpr float kReach = 12.0F;
    constexpr float kMaxLeftShift = 14.0F;
    constexpr float kMaxRightShift = 15.0F;
    // As the published operator has it: the power of two nearest to the scale.
    const float shift = std::round(std::log(scale) * (1.0F / std::log(2.0F))) + kReach;
    context.require((shift <= kMaxLeftShift) && (shift >= -kMaxRightShift), "the scale of its cell is out of range");
    arguments.cell_multiplier = 3;
    if (shift >= 0.0F) {
        arguments.cell_multiplier *= static_cast<std::int32_t>(std::lround(std::exp2(shift)));
    } else {
        arguments.cell_shift = static_cast<std::int32_t>(std::lround(-shift));
    }
    const float clip = context.options<format::UnidirectionalSequenceLSTMOptions>().cell_clip();
    const double steps = std::min(static_cast<double>(clip) / static_cast<double>(scale), double{INT16_MAX});
    arguments.cell_clip = (clip > 0.0F) ? static_cast<std::int32_t>(steps) : refdev::kLstmUnclipped;
}

struct Constants {
    std::vector<std::uint8_t> weights;
    std::vector<std::uint8_t> parameters;
};

// One gate behind the other: per unit, what weighs the input and then what weighs hidden values.
Constants constants_of(const OperatorContext& context, const Layer& layer, Arguments& arguments) {
    Constants constants;
    for (std::size_t gate = 0U; gate < refdev::kLstmGates; ++gate) {
        const Tensor& from_input = gate_weights(context, kInputWeightsPosition + gate, layer.units, layer.input_depth);
        const Tensor& from_hidden = gate_weights(context, kHiddenWeightsPosition + gate, layer.units, layer.units);
        arguments.gates.at(gate) = gate_scales(context, layer, from_input, from_hidden);
        for (std::size_t unit = 0U; unit < layer.units; ++unit) {
            for (const Tensor* const weights : {&from_input, &from_hidden}) {
                const Span<const std::uint8_t> row =
                    weights->contents.subspan(unit * weights->shape[1], weights->shape[1]);
                constants.weights.insert(constants.weights.end(), row.begin(), row.end());
            }
        }
        const std::vector<std::uint8_t> biases =
            bytes_of(context.bias(layer.units, refdev::kNarrowSumBytes, kBiasPosition + gate));
        constants.parameters.insert(constants.parameters.end(), biases.begin(), biases.end());
    }
    const std::vector<std::uint8_t> table = sigmoid_table();
    constants.parameters.insert(constants.parameters.end(), table.begin(), table.end());
    return constants;
}

void set_products(const OperatorContext& context, const Layer& layer, Arguments& arguments) {
    const FixedPoint forget = product_scale(context, kUnitScale, layer.cell.scale, layer.cell.scale);
    const FixedPoint admit = product_scale(context, kUnitScale, kUnitScale, layer.cell.scale);
    const FixedPoint emit = product_scale(context, kUnitScale, kUnitScale, layer.hidden.scale);
    arguments.forget_multiplier = forget.multiplier;
    arguments.forget_shift = forget.shift;
    arguments.admit_multiplier = admit.multiplier;
    arguments.admit_shift = admit.shift;
    arguments.emit_multiplier = emit.multiplier;
    arguments.emit_shift = emit.shift;
}

}  // namespace

void lower_unidirectional_sequence_lstm(OperatorContext& context) {
    constexpr std::size_t kFewestInputs = 20U;
    constexpr std::size_t kMostInputs = 24U;
    context.require_operands(kFewestInputs, kMostInputs);
    refuse_variants(context);
    const Layer layer = layer_of(context);
    const std::vector<std::uint32_t>& shape = layer.input.tensor->shape;
    Arguments arguments{};
    arguments.time_major = context.options<format::UnidirectionalSequenceLSTMOptions>().time_major() ? 1U : 0U;
    arguments.batches = shape[arguments.time_major];
    arguments.steps = shape[1U - arguments.time_major];
    arguments.input_depth = layer.input_depth;
    arguments.units = layer.units;
    arguments.input_offset = -layer.input.zero_point;
    arguments.hidden_offset = -layer.hidden.zero_point;
    set_products(context, layer, arguments);
    set_cell(context, layer.cell.scale, arguments);
    const Constants constants = constants_of(context, layer, arguments);

    // All cells are 0 at first, and all hidden values are the number 0.
    std::vector<std::uint8_t> contents(layer.cell.tensor->size_bytes, 0U);
    contents.insert(contents.end(), layer.hidden.tensor->size_bytes,
                    static_cast<std::uint8_t>(layer.hidden.zero_point));
    const capture::BufferId state = context.add_state("state", contents);
    const capture::BufferId weights = context.add_table("weights", constants.weights);
    const capture::BufferId parameters = context.add_table("parameters", constants.parameters);
    context.launch(refdev::KernelId::kLstm, arguments,
                   {{offsetof(Arguments, input), context.buffer(layer.input), Access::kRead},
                    {offsetof(Arguments, weights), weights, Access::kRead},
                    {offsetof(Arguments, parameters), parameters, Access::kRead},
                    {offsetof(Arguments, state), state, Access::kRead},
                    {offsetof(Arguments, state), state, Access::kWrite},
                    {offsetof(Arguments, output), context.buffer(layer.output), Access::kWrite}});
}

}  // namespace pianola::tflite
