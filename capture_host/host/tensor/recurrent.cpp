#include "pianola_host/recurrent.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/operands.h"
#include "capture_host/operators/channel_table.h"
#include "capture_host/operators/recurrent_arguments.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;
using Lstm = refdev::LstmArguments;

constexpr const char* kSvdf = "svdf";
constexpr const char* kLstm = "lstm";
constexpr std::uint32_t kCellBytes = 2U;
static_assert(kLstmGateCount == refdev::kLstmGates);

void require(bool condition, TensorRule rule, const char* name, const char* what) {
    if (!condition) {
        throw TensorError{rule, fmt::format("{}: {}", name, what)};
    }
}

// A tensor that a layer changes in place cannot be a temporary copy.
void require_in_place(const char* name, const char* argument, const Tensor& tensor) {
    static_cast<void>(tensor.buffer());
    require(is_contiguous(tensor), TensorRule::kMemory, name,
            fmt::format("{} must lie in one piece of memory, interleaved or in one shard", argument).c_str());
}

// A result on the operand's device, with another shape.
[[nodiscard]] Tensor result_of_shape(const char* name, const Tensor& input, const Shape& shape,
                                     const OperationOptions& options) {
    return result_for(name, spec_of_shape(input, shape, input.type()), options, input.device());
}

[[nodiscard]] operators::SvdfSizes svdf_sizes(const Tensor& input, const Tensor& features, const Tensor& time_weights,
                                              const Tensor& memory, std::uint32_t rank) {
    require((input.shape().size() == 2U) && (features.shape().size() == 2U) && (time_weights.shape().size() == 2U),
            TensorRule::kShape, kSvdf, "input_tensor, features and time_weights must have two dimensions");
    const operators::SvdfSizes sizes{input.shape()[0],
                                     input.shape()[1],
                                     features.shape()[0],
                                     time_weights.shape()[1],
                                     rank,
                                     static_cast<std::uint32_t>(memory.type())};
    require(
        (features.shape()[1] == sizes.input_depth) && (time_weights.shape()[0] == sizes.filters) &&
            (memory.shape() == Shape{sizes.batches, sizes.filters, sizes.length}),
        TensorRule::kShape, kSvdf,
        "features must be [filters, input depth], time_weights [filters, length], memory [batches, filters, length]");
    require((rank > 0U) && ((sizes.filters % rank) == 0U), TensorRule::kArgument, kSvdf,
            "rank must divide the filters");
    require(sizes.input_depth <= refdev::kMaxTaps, TensorRule::kShape, kSvdf,
            "the input's depth must be at most 65536");
    return sizes;
}

[[nodiscard]] operators::Affine affine(const Quantization& quantization) {
    return {quantization.scale, quantization.zero_point};
}

void check_svdf_types(const Tensor& input, const Tensor& features, const Tensor& time_weights,
                      const std::optional<Tensor>& bias, const Tensor& memory) {
    require_int8(kSvdf, "input_tensor", input);
    require_int8(kSvdf, "features", features);
    require_activations(kSvdf, "memory", memory);
    require_in_place(kSvdf, "memory", memory);
    static_cast<void>(time_weights.buffer());
    require(time_weights.type() == memory.type(), TensorRule::kType, kSvdf,
            "time_weights must be of the memory's type");
    require(!bias.has_value() || (bias->type() == ElementType::kInt32), TensorRule::kType, kSvdf,
            "bias must be of int32");
    for (const Tensor* const operand : {&features, &time_weights, &memory}) {
        require_same_device(kSvdf, input, *operand);
    }
    if (bias.has_value()) {
        require_same_device(kSvdf, input, *bias);
    }
}

void check_svdf_quantization(const SvdfQuantization& quantization) {
    require_scale(kSvdf, "input_scale", quantization.input.scale);
    require_scale(kSvdf, "feature_scale", quantization.feature_scale);
    require_scale(kSvdf, "memory_scale", quantization.memory.scale);
    require_scale(kSvdf, "time_scale", quantization.time_scale);
    require_scale(kSvdf, "output_scale", quantization.output.scale);
    require_zero_point(kSvdf, "input_zero_point", quantization.input.zero_point);
    require_zero_point(kSvdf, "memory_zero_point", quantization.memory.zero_point);
    require_zero_point(kSvdf, "output_zero_point", quantization.output.zero_point);
}

// The bias, or zeros.
[[nodiscard]] Tensor svdf_bias(const std::optional<Tensor>& bias, std::uint32_t units,
                               const std::shared_ptr<host::Device>& device, std::uint32_t queue) {
    if (bias.has_value()) {
        require(bias->shape() == Shape{units}, TensorRule::kShape, kSvdf, "bias must be [filters / rank]");
        return as_contiguous(*bias, queue);
    }
    Tensor zeros = Tensor::on_device({{units}, ElementType::kInt32, kDramInterleaved}, device, {queue, true});
    fill(zeros, 0, queue);
    return zeros;
}

[[nodiscard]] operators::SvdfArguments svdf_work(const operators::SvdfSizes& sizes,
                                                 const SvdfQuantization& quantization) {
    const auto& [input, feature_scale, memory, time_scale, output] = quantization;
    const std::optional<operators::SvdfArguments> arguments =
        operators::svdf_arguments(sizes, {affine(input), feature_scale, affine(memory), time_scale, affine(output)});
    require(arguments.has_value(), TensorRule::kQuantization, kSvdf,
            "input_scale times feature_scale must be below 2^30 times memory_scale, and memory_scale times time_scale "
            "below 2^30 times output_scale");
    return arguments.value_or(operators::SvdfArguments{});
}

[[nodiscard]] std::vector<std::uint8_t> bytes_of_weights(const std::vector<std::int8_t>& weights) {
    std::vector<std::uint8_t> bytes;
    for (const std::int8_t weight : weights) {
        bytes.push_back(static_cast<std::uint8_t>(weight));
    }
    return bytes;
}

[[nodiscard]] bool bias_fits(std::int64_t bias, bool is_int16) {
    return is_int16 ? operators::fits_wide_sums(bias) : ((bias >= INT32_MIN) && (bias <= INT32_MAX));
}

void check_gate(const LstmGateWeights& gate, std::size_t units, std::size_t depth, bool is_int16) {
    const char* const name = "prepare_lstm";
    require((units > 0U) && (depth > 0U) && (gate.bias.size() == units) && (gate.input.size() == (units * depth)) &&
                (gate.hidden.size() == (units * units)),
            TensorRule::kShape, name,
            "weights must be [units, input depth] and [units, units], biases [units], the same for each gate");
    require((units <= refdev::kMaxTaps) && (depth <= refdev::kMaxTaps), TensorRule::kShape, name,
            "units and input depth must be at most 65536");
    require(std::all_of(gate.bias.begin(), gate.bias.end(),
                        [is_int16](std::int64_t bias) { return bias_fits(bias, is_int16); }),
            TensorRule::kValue, name, "biases must be of int32, or between -2^46 and 2^46 with int16");
}

// Checks the sizes of the operands.
[[nodiscard]] Lstm lstm_sizes(const Tensor& input, const LstmTensors& layer, bool time_major) {
    const Shape& shape = input.shape();
    const Shape& weights = layer.weights.shape();
    require((shape.size() == 3U) && (weights.size() == 3U) && (weights[0] == refdev::kLstmGates) &&
                (weights[2] == (std::uint64_t{shape[2]} + weights[1])),
            TensorRule::kShape, kLstm, "input_tensor must have three dimensions, and the depth that the layer is for");
    const Lstm sizes =
        operators::lstm_arguments(shape, time_major, weights[1], static_cast<std::uint32_t>(input.type()));
    const std::uint32_t value_bytes = bytes_per_element(input.type());
    const std::uint64_t sum_bytes = (value_bytes == 1U) ? refdev::kNarrowSumBytes : refdev::kWideSumBytes;
    const std::uint64_t parameter_bytes =
        (refdev::kLstmGates * sum_bytes * sizes.units) + (refdev::kSigmoidTableEntries * sizeof(std::uint16_t));
    require(size_bytes(layer.parameters.spec()) == parameter_bytes, TensorRule::kShape, kLstm,
            "the parameters must be for this size and type");
    require(size_bytes(layer.state.spec()) == (std::uint64_t{sizes.batches} * sizes.units * (kCellBytes + value_bytes)),
            TensorRule::kShape, kLstm, "the state must be for this number of batches, size and type");
    return sizes;
}

void set_scales(const LstmQuantization& quantization, Lstm& arguments) {
    require_scale(kLstm, "input_scale", quantization.input.scale);
    require_scale(kLstm, "hidden_scale", quantization.hidden.scale);
    require_scale(kLstm, "cell_scale", quantization.cell_scale);
    require_zero_point(kLstm, "input_zero_point", quantization.input.zero_point);
    require_zero_point(kLstm, "hidden_zero_point", quantization.hidden.zero_point);
    for (std::size_t gate = 0U; gate < kLstmGateCount; ++gate) {
        require_scale(kLstm, "input_weight_scales", quantization.input_weight_scales.at(gate));
        require_scale(kLstm, "hidden_weight_scales", quantization.hidden_weight_scales.at(gate));
    }
    require((quantization.cell_clip >= 0.0F), TensorRule::kQuantization, kLstm,
            "cell_clip must be 0, which is none, or above");
    require((arguments.type == refdev::kTypeInt8) ||
                ((quantization.input.zero_point == 0) && (quantization.hidden.zero_point == 0)),
            TensorRule::kQuantization, kLstm, "zero points of int16 must be 0");
    const operators::LstmScales scales{affine(quantization.input),       affine(quantization.hidden),
                                       quantization.cell_scale,          quantization.cell_clip,
                                       quantization.input_weight_scales, quantization.hidden_weight_scales};
    const operators::LstmScaling scaling = operators::set_lstm_scales(scales, arguments);
    require(scaling != operators::LstmScaling::kRatioOutOfRange, TensorRule::kQuantization, kLstm,
            "input_scale and hidden_scale times their weights' scales must be below 2^18, with int16 below 2^-5, and "
            "hidden_scale and cell_scale above 2^-60");
    require(scaling == operators::LstmScaling::kAccepted, TensorRule::kQuantization, kLstm,
            "cell_scale must be about 2^-27 to 4");
}

}  // namespace

Tensor svdf(const Tensor& input, const Tensor& features, const Tensor& time_weights, const std::optional<Tensor>& bias,
            const Tensor& memory, std::uint32_t rank, const SvdfQuantization& quantization,
            const OperationOptions& options) {
    if (is_distributed(input, features, time_weights, bias, memory, options)) {
        return for_each_device(
            kSvdf, [](const auto&... each) { return svdf(each...); }, input, features, time_weights, bias, memory, rank,
            quantization, options);
    }
    check_svdf_types(input, features, time_weights, bias, memory);
    check_svdf_quantization(quantization);
    const operators::SvdfArguments work =
        svdf_work(svdf_sizes(input, features, time_weights, memory, rank), quantization);
    const Tensor result = result_of_shape(kSvdf, input, {work.time.batches, work.time.units}, options);
    for (const Tensor* const operand : {&input, &features, &time_weights, &memory}) {
        require_apart(kSvdf, result, *operand);
    }
    for (const Tensor* const operand : {&input, &features, &time_weights}) {
        require_apart(kSvdf, memory, *operand);
    }
    return into_contiguous(result, options.queue, [&](const Tensor& output) {
        const Tensor starts = svdf_bias(bias, work.time.units, result.device(), options.queue);
        const Tensor weights = as_contiguous(time_weights, options.queue);
        const Tensor filters = as_contiguous(features, options.queue);
        const Tensor rows = as_contiguous(input, options.queue);
        // Both kernels on one core, where they run in this order.
        Launches launches{*output.device()};
        const host::CoreCoord core = launches.next_core();
        launches.add(KernelId::kSvdfFeature, core,
                     words_of(work.feature, {argument_at(rows), argument_at(filters), argument_at(memory)}));
        launches.add(
            KernelId::kSvdfTime, core,
            words_of(work.time, {argument_at(memory), argument_at(weights), argument_at(starts), argument_at(output)}));
        enqueue(output, launches, kSvdf, options.queue);
    });
}

LstmTensors prepare_lstm(const std::array<LstmGateWeights, kLstmGateCount>& gates, ElementType type,
                         std::uint32_t batches, std::int32_t hidden_zero_point) {
    const char* const name = "prepare_lstm";
    require(is_activation(type), TensorRule::kType, name, "dtype must be int8 or int16");
    require_zero_point(name, "hidden_zero_point", hidden_zero_point);
    require(batches > 0U, TensorRule::kArgument, name, "batches must be at least 1");
    const bool is_int16 = type == ElementType::kInt16;
    const std::size_t units = gates.front().bias.size();
    const std::size_t depth = (units == 0U) ? 0U : (gates.front().input.size() / units);
    std::array<operators::LstmGate, kLstmGateCount> made;
    for (std::size_t gate = 0U; gate < kLstmGateCount; ++gate) {
        check_gate(gates.at(gate), units, depth, is_int16);
        made.at(gate) = {bytes_of_weights(gates.at(gate).input), bytes_of_weights(gates.at(gate).hidden),
                         gates.at(gate).bias};
    }
    const operators::LstmConstants constants = operators::lstm_constants(made, static_cast<std::uint32_t>(type));
    const std::uint64_t cells = std::uint64_t{batches} * units;
    const std::uint64_t hidden_bytes = cells * bytes_per_element(type);
    require((cells * (kCellBytes + sizeof(std::int16_t))) <= INT32_MAX, TensorRule::kArgument, name,
            "the state of all batches must have less than 2^31 bytes");
    std::vector<std::uint8_t> state(cells * kCellBytes, 0U);
    state.insert(state.end(), hidden_bytes, is_int16 ? std::uint8_t{0U} : static_cast<std::uint8_t>(hidden_zero_point));
    const auto of_bytes = [](const Shape& shape, ElementType elements, const std::vector<std::uint8_t>& bytes) {
        return Tensor::on_host({shape, elements, kDramInterleaved}, bytes);
    };
    return LstmTensors{
        of_bytes({word(kLstmGateCount), word(units), word(depth + units)}, ElementType::kInt8, constants.weights),
        of_bytes({word(constants.parameters.size() / sizeof(std::int32_t))}, ElementType::kInt32, constants.parameters),
        of_bytes({word(state.size())}, ElementType::kInt8, state)};
}

Tensor lstm(const Tensor& input, const LstmTensors& layer, const LstmQuantization& quantization, bool time_major,
            const OperationOptions& options) {
    const Tensor& weights = layer.weights;
    const Tensor& parameters = layer.parameters;
    const Tensor& state = layer.state;
    if (is_distributed(input, weights, parameters, state, options)) {
        return for_each_device(
            kLstm,
            [](const Tensor& each_input, const Tensor& each_weights, const Tensor& each_parameters,
               const Tensor& each_state, const LstmQuantization& scales, bool major, const OperationOptions& each) {
                return lstm(each_input, LstmTensors{each_weights, each_parameters, each_state}, scales, major, each);
            },
            input, weights, parameters, state, quantization, time_major, options);
    }
    require_activations(kLstm, "input_tensor", input);
    require_int8(kLstm, "weights", weights);
    require_int8(kLstm, "state", state);
    require_in_place(kLstm, "state", state);
    for (const Tensor* const operand : {&weights, &parameters, &state}) {
        require_same_device(kLstm, input, *operand);
    }
    Lstm arguments = lstm_sizes(input, layer, time_major);
    set_scales(quantization, arguments);
    Shape shape = input.shape();
    shape.back() = arguments.units;
    const Tensor result = result_of_shape(kLstm, input, shape, options);
    for (const Tensor* const operand : {&input, &weights, &parameters, &state}) {
        require_apart(kLstm, result, *operand);
    }
    for (const Tensor* const operand : {&input, &weights, &parameters}) {
        require_apart(kLstm, state, *operand);
    }
    return into_contiguous(result, options.queue, [&](const Tensor& output) {
        const Tensor sequence = as_contiguous(input, options.queue);
        const Tensor filters = as_contiguous(weights, options.queue);
        const Tensor biases = as_contiguous(parameters, options.queue);
        Launches launches{*result.device()};
        launches.add(KernelId::kLstm, launches.next_core(),
                     words_of(arguments, {argument_at(sequence), argument_at(filters), argument_at(biases),
                                          argument_at(state), argument_at(output)}));
        enqueue(result, launches, kLstm, options.queue);
    });
}

}  // namespace pianola::tensor
