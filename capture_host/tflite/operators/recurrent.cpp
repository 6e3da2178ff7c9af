#include <algorithm>
#include <cstddef>

#include "capture_host/operators/recurrent_arguments.h"
#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kFeaturesPosition = 1U;
constexpr std::size_t kWeightsPosition = 2U;
constexpr std::size_t kSvdfBiasPosition = 3U;
constexpr std::size_t kMemoryPosition = 4U;

operators::SvdfSizes sizes_of(const OperatorContext& context, const Int8Tensor& input, const Tensor& features,
                              const Tensor& weights, const QuantizedTensor& memory) {
    const auto& options = context.options<format::SVDFOptions>();
    context.require((input.tensor->shape.size() == 2U) && (features.shape.size() == 2U) &&
                        (weights.shape.size() == 2U) && (options.rank() > 0),
                    "only operands of rank 2 are supported");
    const operators::SvdfSizes sizes{input.tensor->shape[0],
                                     input.tensor->shape[1],
                                     features.shape[0],
                                     weights.shape[1],
                                     static_cast<std::uint32_t>(options.rank()),
                                     memory.kernel_type()};
    context.require((features.shape[1] == sizes.input_depth) && (weights.shape[0] == sizes.filters) &&
                        ((sizes.filters % sizes.rank) == 0U),
                    "the sizes of its operands do not fit each other");
    context.require(sizes.input_depth <= refdev::kMaxTaps, "feature weights with so many columns are not supported");
    return sizes;
}

const Tensor& symmetric_constant(const OperatorContext& context, std::size_t position, const char* what) {
    const Tensor& tensor = context.input(position, what);
    context.require(tensor.is_constant, "computed weights are not supported");
    context.require((tensor.quantization.scales.size() == 1U) && (tensor.quantization.zero_points.front() == 0),
                    "weights with several scales or a zero point are not supported");
    return tensor;
}

}  // namespace

// The published operator clamps to int8 only, whatever activation its options name.
void lower_svdf(OperatorContext& context) {
    using Feature = refdev::SvdfFeatureArguments;
    context.require_operands(5U, 5U);
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    const Tensor& features = symmetric_constant(context, kFeaturesPosition, "feature weights");
    context.require(features.type == kTypeInt8, "feature weights other than int8 are not supported");
    const QuantizedTensor memory = context.quantized_input(kMemoryPosition, "memory", {kTypeInt8, kTypeInt16});
    const Tensor& weights = symmetric_constant(context, kWeightsPosition, "time weights");
    context.require(memory.tensor->is_variable && (weights.type == memory.tensor->type),
                    "its memory is no variable tensor of the type of its time weights");
    const operators::SvdfSizes sizes = sizes_of(context, input, features, weights, memory);
    const std::uint32_t units = sizes.filters / sizes.rank;
    const std::uint64_t held = std::uint64_t{sizes.filters} * sizes.length;
    context.require((memory.tensor->shape.size() == 2U) && (memory.tensor->shape[0] == sizes.batches) &&
                        (memory.tensor->shape[1] == held) &&
                        (output.tensor->shape == std::vector<std::uint32_t>{sizes.batches, units}),
                    "the shape of its memory or output does not follow from its operands");
    context.require_bias_scales(kSvdfBiasPosition, memory.scale, weights.quantization.scales);
    const operators::SvdfArguments arguments = context.in_range(
        operators::svdf_arguments(sizes, {input.affine(), features.quantization.scales.front(), memory.affine(),
                                          weights.quantization.scales.front(), output.affine()}));
    const capture::BufferId state = context.add_state(
        "memory", std::vector<std::uint8_t>(
                      memory.tensor->size_bytes,
                      (memory.tensor->type == kTypeInt8) ? static_cast<std::uint8_t>(memory.zero_point) : 0U));
    context.launch(refdev::KernelId::kSvdfFeature, arguments.feature,
                   {{offsetof(Feature, input), context.buffer(input), Access::kRead},
                    {offsetof(Feature, features), context.input_buffer(kFeaturesPosition), Access::kRead},
                    {offsetof(Feature, memory), state, Access::kRead},
                    {offsetof(Feature, memory), state, Access::kWrite}});
    const capture::BufferId bias =
        context.add_table("bias", operators::bytes_of(context.bias(units, refdev::kNarrowSumBytes, kSvdfBiasPosition)));
    context.launch(refdev::KernelId::kSvdfTime, arguments.time,
                   {{state}, {context.input_buffer(kWeightsPosition)}, {bias}, {context.buffer(output)}});
}

namespace {

using refdev::LstmArguments;

// The positions of the operator's operands; those of the gates are in the kernel's order.
constexpr std::size_t kInputWeightsPosition = 1U;
constexpr std::size_t kHiddenWeightsPosition = 5U;
constexpr std::size_t kGateBiasPosition = 12U;
constexpr std::size_t kHiddenPosition = 18U;
constexpr std::size_t kCellPosition = 19U;
constexpr std::int8_t kTanh = 4;  // by its number among activations

struct Layer {
    QuantizedTensor input;
    QuantizedTensor hidden;
    QuantizedTensor cell;
    QuantizedTensor output;
    std::uint32_t units{0U};
    std::uint32_t input_depth{0U};

    [[nodiscard]] bool is_int16() const { return input.tensor->type == kTypeInt16; }
    [[nodiscard]] std::uint32_t type() const { return input.kernel_type(); }
    [[nodiscard]] std::uint32_t sum_bytes() const {
        return is_int16() ? refdev::kWideSumBytes : refdev::kNarrowSumBytes;
    }
};

// Refuses variants that the published operator does not support.
void refuse_variants(const OperatorContext& context) {
    for (const std::size_t position : {9U, 10U, 11U, 16U, 17U, 20U, 21U, 22U, 23U}) {
        context.require(context.optional_input(position) == nullptr,
                        "peepholes, projections and normalised layers are not supported");
    }
    const auto& options = context.options<format::UnidirectionalSequenceLSTMOptions>();
    context.require(options.fused_activation_function() == kTanh, "another activation than TANH is not supported");
    context.require(options.proj_clip() == 0.0F, "a proj_clip is not supported, as projections are not");
    context.require(!options.diagonal_recurrent_tensors(), "diagonal_recurrent_tensors are not supported");
}

Layer layer_of(const OperatorContext& context) {
    const Types types{kTypeInt8, kTypeInt16};
    Layer layer{context.quantized_input(0U, "input", types),
                context.quantized_input(kHiddenPosition, "hidden state", types),
                context.quantized_input(kCellPosition, "cell state", {kTypeInt16}), context.quantized_output(types)};
    const Tensor& input = *layer.input.tensor;
    context.require((layer.hidden.tensor->type == input.type) && (layer.output.tensor->type == input.type),
                    "its input, hidden state and output differ in type");
    context.require(input.shape.size() == 3U, "only an input of rank 3 is supported");
    context.require(layer.hidden.tensor->is_variable && layer.cell.tensor->is_variable,
                    "a state that is no variable tensor is not supported");
    const bool time_major = context.options<format::UnidirectionalSequenceLSTMOptions>().time_major();
    const std::uint32_t batches = input.shape[time_major ? 1U : 0U];
    layer.input_depth = input.shape[2];
    layer.units = layer.cell.tensor->elements / batches;
    const Shape states{batches, layer.units};
    context.require((layer.cell.tensor->shape == states) && (layer.hidden.tensor->shape == states) &&
                        (layer.output.tensor->shape == Shape{input.shape[0], input.shape[1], layer.units}),
                    "the shapes of its states and its output do not fit each other");
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

// One gate after the other: per unit, the weights of the input and then those of hidden values.
operators::LstmConstants constants_of(const OperatorContext& context, const Layer& layer,
                                      operators::LstmScales& scales) {
    const auto bytes_of_tensor = [](const Tensor& tensor) {
        return std::vector<std::uint8_t>(tensor.contents.begin(), tensor.contents.end());
    };
    std::array<operators::LstmGate, refdev::kLstmGates> gates;
    for (std::size_t gate = 0U; gate < refdev::kLstmGates; ++gate) {
        const Tensor& from_input = gate_weights(context, kInputWeightsPosition + gate, layer.units, layer.input_depth);
        const Tensor& from_hidden = gate_weights(context, kHiddenWeightsPosition + gate, layer.units, layer.units);
        scales.input_weights.at(gate) = from_input.quantization.scales.front();
        scales.hidden_weights.at(gate) = from_hidden.quantization.scales.front();
        gates.at(gate) = {bytes_of_tensor(from_input), bytes_of_tensor(from_hidden),
                          context.bias(layer.units, layer.sum_bytes(), kGateBiasPosition + gate)};
        context.require_bias_scales(kGateBiasPosition + gate, layer.input.scale, from_input.quantization.scales);
        const std::vector<std::int64_t>& starts = gates.at(gate).bias;
        context.require(std::all_of(starts.begin(), starts.end(),
                                    [](std::int64_t bias) { return operators::fits_wide_sums(bias); }),
                        "such a large bias is not supported");
    }
    return operators::lstm_constants(gates, layer.type());
}

void set_scales(const OperatorContext& context, const operators::LstmScales& scales, LstmArguments& arguments) {
    const operators::LstmScaling result = operators::set_lstm_scales(scales, arguments);
    context.require(result != operators::LstmScaling::kRatioOutOfRange, "the ratio of its scales is out of range");
    context.require(result == operators::LstmScaling::kAccepted, "the scale of its cell is out of range");
}

}  // namespace

void lower_unidirectional_sequence_lstm(OperatorContext& context) {
    constexpr std::size_t kFewestInputs = 20U;
    constexpr std::size_t kMostInputs = 24U;
    context.require_operands(kFewestInputs, kMostInputs);
    refuse_variants(context);
    const Layer layer = layer_of(context);
    const auto& options = context.options<format::UnidirectionalSequenceLSTMOptions>();
    LstmArguments arguments =
        operators::lstm_arguments(layer.input.tensor->shape, options.time_major(), layer.units, layer.type());
    operators::LstmScales scales;
    scales.input = layer.input.affine();
    scales.hidden = layer.hidden.affine();
    scales.cell = layer.cell.scale;
    scales.cell_clip = options.cell_clip();
    const operators::LstmConstants constants = constants_of(context, layer, scales);
    set_scales(context, scales, arguments);

    // All cells start at 0, and all hidden values at the number 0.
    std::vector<std::uint8_t> contents(layer.cell.tensor->size_bytes, 0U);
    contents.insert(contents.end(), layer.hidden.tensor->size_bytes,
                    static_cast<std::uint8_t>(layer.hidden.zero_point));
    const capture::BufferId state = context.add_state("state", contents);
    const capture::BufferId weights = context.add_table("weights", constants.weights);
    const capture::BufferId parameters = context.add_table("parameters", constants.parameters);
    context.launch(refdev::KernelId::kLstm, arguments,
                   {{offsetof(LstmArguments, input), context.buffer(layer.input), Access::kRead},
                    {offsetof(LstmArguments, weights), weights, Access::kRead},
                    {offsetof(LstmArguments, parameters), parameters, Access::kRead},
                    {offsetof(LstmArguments, state), state, Access::kRead},
                    {offsetof(LstmArguments, state), state, Access::kWrite},
                    {offsetof(LstmArguments, output), context.buffer(layer.output), Access::kWrite}});
}

}  // namespace pianola::tflite
