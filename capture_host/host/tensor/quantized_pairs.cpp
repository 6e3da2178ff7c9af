#include <fmt/format.h>

#include "capture_host/host/tensor/broadcast.h"
#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::QuantizedBinaryArguments;
using refdev::QuantizedBinaryOp;

constexpr std::uint32_t kSquareLeftShift = 7U;
constexpr std::uint32_t kCompareLeftShift = 8U;

struct PairOp {
    const char* name;
    QuantizedBinaryOp op;
};
constexpr std::array<PairOp, 10U> kPairOps{{{"subtract", QuantizedBinaryOp::kSubtract},
                                            {"multiply", QuantizedBinaryOp::kMultiply},
                                            {"squared_difference", QuantizedBinaryOp::kSquaredDifference},
                                            {"prelu", QuantizedBinaryOp::kPrelu},
                                            {"eq", QuantizedBinaryOp::kEqual},
                                            {"ne", QuantizedBinaryOp::kNotEqual},
                                            {"gt", QuantizedBinaryOp::kGreater},
                                            {"ge", QuantizedBinaryOp::kGreaterEqual},
                                            {"lt", QuantizedBinaryOp::kLess},
                                            {"le", QuantizedBinaryOp::kLessEqual}}};

struct PairLaunch {
    static constexpr refdev::KernelId kKernel = refdev::KernelId::kQuantizedBinary;
    QuantizedBinaryArguments arguments;

    host::Arguments operator()(const host::Argument& left, const host::Argument& right, const host::Argument& to,
                               std::uint32_t count) const {
        QuantizedBinaryArguments launch = arguments;
        launch.dims = {1U, 1U, 1U, count};
        launch.strides1 = {0U, 0U, 0U, 1U};
        launch.strides2 = launch.strides1;
        host::Arguments words = words_of(launch);
        words[refdev::word_of(offsetof(QuantizedBinaryArguments, input1))] = left;
        words[refdev::word_of(offsetof(QuantizedBinaryArguments, input2))] = right;
        words[refdev::word_of(offsetof(QuantizedBinaryArguments, output))] = to;
        return words;
    }
};

// Scales of the operation. nullopt: the arithmetic cannot express one.
std::optional<operators::AddScaling> scaling_of(QuantizedBinary operation, float first, float second, float output) {
    const double product = static_cast<double>(first) * static_cast<double>(second) / static_cast<double>(output);
    switch (operation) {
        case QuantizedBinary::kSubtract:
            return operators::subtract_scaling(first, second, output, operators::kAddLeftShift);
        case QuantizedBinary::kSquaredDifference:
            return operators::squared_difference_scaling(first, second, output, kSquareLeftShift);
        case QuantizedBinary::kMultiply:
            return operators::all_of(operators::kUnity, operators::kUnity, operators::quantize_multiplier(product));
        case QuantizedBinary::kPrelu:
            return operators::all_of(
                operators::quantize_multiplier(static_cast<double>(first) / static_cast<double>(output)),
                operators::kUnity, operators::quantize_multiplier(product));
        default:
            return operators::all_of(operators::quantize_fraction(static_cast<double>(first)),
                                     operators::quantize_fraction(static_cast<double>(second)), operators::kUnity);
    }
}

std::uint32_t left_shift_of(QuantizedBinary operation) {
    switch (operation) {
        case QuantizedBinary::kSubtract:
            return operators::kAddLeftShift;
        case QuantizedBinary::kSquaredDifference:
            return kSquareLeftShift;
        case QuantizedBinary::kMultiply:
        case QuantizedBinary::kPrelu:
            return 0U;
        default:
            return kCompareLeftShift;
    }
}

QuantizedBinaryArguments arguments_of(const char* name, QuantizedBinary operation, const Quantization& left,
                                      const Quantization& right, const Quantization& to) {
    const std::optional<operators::AddScaling> scaling = scaling_of(operation, left.scale, right.scale, to.scale);
    if (!scaling.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: the scales {}, {} and {} are too far apart, or an operand's is not below 1 "
                                      "where operands are compared",
                                      name, left.scale, right.scale, to.scale)};
    }
    QuantizedBinaryArguments arguments{};
    arguments.type = refdev::kTypeInt8;
    arguments.op = kPairOps.at(static_cast<std::size_t>(operation)).op;
    arguments.input1_offset = -left.zero_point;
    arguments.input1_multiplier = scaling->first.multiplier;
    arguments.input1_shift = scaling->first.shift;
    arguments.input2_offset = -right.zero_point;
    arguments.input2_multiplier = scaling->second.multiplier;
    arguments.input2_shift = scaling->second.shift;
    arguments.left_shift = left_shift_of(operation);
    arguments.output_offset = to.zero_point;
    arguments.output_multiplier = scaling->output.multiplier;
    arguments.output_shift = scaling->output.shift;
    return arguments;
}

// A launch of the kernel select for a part of consecutive elements.
host::Arguments select_words(const std::array<Tensor, 4>& tensors, std::uint32_t begin, std::uint32_t count,
                             std::uint32_t element_bytes) {
    using Member = refdev::SelectArguments;
    refdev::SelectArguments launch{};
    launch.dims = {1U, 1U, 1U, count};
    launch.condition_strides = {0U, 0U, 0U, 1U};
    launch.strides1 = launch.condition_strides;
    launch.strides2 = launch.condition_strides;
    launch.element_bytes = element_bytes;
    host::Arguments words = words_of(launch);
    const std::uint32_t bytes = begin * element_bytes;
    set_address(words, offsetof(Member, condition), tensors[0], run_address(tensors[0]) + begin);
    set_address(words, offsetof(Member, input1), tensors[1], run_address(tensors[1]) + bytes);
    set_address(words, offsetof(Member, input2), tensors[2], run_address(tensors[2]) + bytes);
    set_address(words, offsetof(Member, output), tensors[3], run_address(tensors[3]) + bytes);
    return words;
}

}  // namespace

Tensor quantized_binary(QuantizedBinary operation, const Tensor& left, const Tensor& right,
                        const Quantization& from_left, const Quantization& from_right, const Quantization& to,
                        const Clamp& clamp, const OperationOptions& options) {
    const char* const name = kPairOps.at(static_cast<std::size_t>(operation)).name;
    if (is_distributed(left, right, options)) {
        return for_each_device(
            name, [](const auto&... each) { return quantized_binary(each...); }, operation, left, right, from_left,
            from_right, to, clamp, options);
    }
    require_int8(name, "input_tensor_a", left);
    require_int8(name, "input_tensor_b", right);
    require_same_device(name, left, right);
    require_quantizations(name, from_left, from_right, to);
    const operators::ActivationRange range = clamp_range(name, clamp);
    QuantizedBinaryArguments arguments = arguments_of(name, operation, from_left, from_right, to);
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    const Shape shape = broadcast_shape(name, left.shape(), right.shape());
    Tensor result = result_for(name, spec_of_broadcast(left, shape), options, left.device());
    pair_by_pair(broadcast_to(left, shape, options.queue), broadcast_to(right, shape, options.queue), result, name,
                 options.queue, PairLaunch{arguments});
    return result;
}

Tensor where(const Tensor& condition, const Tensor& left, const Tensor& right, const OperationOptions& options) {
    const char* const name = "where";
    if (is_distributed(condition, left, right, options)) {
        return for_each_device(
            name, [](const auto&... each) { return where(each...); }, condition, left, right, options);
    }
    require_same_device(name, left, condition);
    require_same_device(name, left, right);
    if ((left.type() != right.type()) || (bytes_per_element(condition.type()) != 1U)) {
        throw TensorError{
            TensorRule::kType,
            fmt::format("{}: a condition of {}, for {} and {}; it is of int8 or uint8, for one type", name,
                        type_name(condition.type()), type_name(left.type()), type_name(right.type()))};
    }
    const Shape shape = broadcast_shape(name, broadcast_shape(name, condition.shape(), left.shape()), right.shape());
    const Tensor result = result_for(name, spec_of_broadcast(left, shape), options, left.device());
    const auto run_of = [&](const Tensor& operand) {
        return in_one_run(broadcast_to(operand, shape, options.queue), options.queue);
    };
    return through_one_run(result, options.queue, [&](const Tensor& run) {
        const std::array<Tensor, 4> tensors{run_of(condition), run_of(left), run_of(right), run};
        Launches launches{*run.device()};
        const std::vector<host::CoreCoord> cores = cores_for(run);
        const auto elements = static_cast<std::uint32_t>(element_count(shape));
        // Shares of whole words, so that no two cores write to one.
        const std::uint32_t share = (((elements / static_cast<std::uint32_t>(cores.size())) / 4U) + 1U) * 4U;
        std::size_t core = 0U;
        for (std::uint32_t begin = 0U; begin < elements; begin += share) {
            launches.add(
                refdev::KernelId::kSelect, cores.at(core),
                select_words(tensors, begin, std::min(share, elements - begin), bytes_per_element(run.type())));
            core += 1U;
        }
        enqueue(run, launches, name, options.queue);
    });
}

}  // namespace pianola::tensor
