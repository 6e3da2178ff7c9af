#include <fmt/format.h>

#include <array>
#include <optional>
#include <type_traits>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_core.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/views.h"
#include "capture_host/operators/kernel_arguments.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::QuantizedBinaryArguments;
using refdev::QuantizedBinaryOp;

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

// Two operands of int8 and their result.
struct Pair {
    const char* name;
    QuantizedBinaryOp op;
    const Tensor& left;
    const Tensor& right;
    const Quantization& from_left;
    const Quantization& from_right;
    const Quantization& to;
};

// Checks the operands. nullopt if the kernels cannot express the scales.
[[nodiscard]] std::optional<QuantizedBinaryArguments> arguments_of(const Pair& pair, const Clamp& clamp) {
    require_int8(pair.name, "input_tensor_a", pair.left);
    require_int8(pair.name, "input_tensor_b", pair.right);
    require_same_device(pair.name, pair.left, pair.right);
    require_quantizations(pair.name, pair.from_left, pair.from_right, pair.to);
    const auto affine = [](const Quantization& each) { return operators::Affine{each.scale, each.zero_point}; };
    return operators::quantized_binary_arguments(pair.op, refdev::kTypeInt8, affine(pair.from_left),
                                                 affine(pair.from_right), affine(pair.to),
                                                 clamp_range(pair.name, clamp));
}

template <typename Arguments>
[[nodiscard]] Tensor launch_pair(const Pair& pair, refdev::KernelId kernel, Arguments arguments,
                                 const OperationOptions& options) {
    const auto& [name, op, left, right, from_left, from_right, to] = pair;
    const Shape shape = broadcast_shape(name, left.shape(), right.shape());
    Tensor result = result_for(name, spec_of_broadcast(left, shape), options, left.device());
    pair_by_pair(broadcast_to(left, shape, options.queue), broadcast_to(right, shape, options.queue), result, name,
                 options.queue, kernel,
                 [&](const host::Argument& first, const host::Argument& second, const host::Argument& target,
                     std::uint32_t count) {
                     const std::uint32_t outer = std::is_same_v<Arguments, refdev::AddArguments> ? count : 0U;
                     arguments.dims = {1U, 1U, 1U, count};
                     arguments.strides1 = {outer, outer, outer, 1U};
                     arguments.strides2 = arguments.strides1;
                     return words_of(arguments, {first, second, target});
                 });
    return result;
}

// A launch of the kernel select for a part of consecutive elements.
host::Arguments select_words(const std::array<Tensor, 4>& tensors, std::uint32_t begin, std::uint32_t count,
                             std::uint32_t element_bytes) {
    constexpr std::array<std::uint32_t, 4> kDense{0U, 0U, 0U, 1U};
    const std::uint32_t bytes = begin * element_bytes;
    return words_of(refdev::SelectArguments{0U, 0U, 0U, 0U, {1U, 1U, 1U, count}, kDense, kDense, kDense, element_bytes},
                    {argument_at(tensors[0], begin), argument_at(tensors[1], bytes), argument_at(tensors[2], bytes),
                     argument_at(tensors[3], bytes)});
}

}  // namespace

Tensor quantized_add(const Tensor& left, const Tensor& right, const Quantization& from_left,
                     const Quantization& from_right, const Quantization& to, const Clamp& clamp,
                     const OperationOptions& options) {
    if (is_distributed(left, right, options)) {
        return for_each_device(
            "quantized_add", [](const auto&... each) { return quantized_add(each...); }, left, right, from_left,
            from_right, to, clamp, options);
    }
    const Pair pair{"add", QuantizedBinaryOp::kAdd, left, right, from_left, from_right, to};
    const std::optional<QuantizedBinaryArguments> sum = arguments_of(pair, clamp);
    if (!sum.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: output_scale is {}; 2^19 times it must be above the operands' scales",
                                      pair.name, to.scale)};
    }
    return launch_pair(pair, refdev::KernelId::kAdd, operators::add_arguments(*sum), options);
}

Tensor quantized_binary(QuantizedBinary operation, const Tensor& left, const Tensor& right,
                        const Quantization& from_left, const Quantization& from_right, const Quantization& to,
                        const Clamp& clamp, const OperationOptions& options) {
    const auto& [name, op] = kPairOps.at(static_cast<std::size_t>(operation));
    if (is_distributed(left, right, options)) {
        return for_each_device(
            name, [](const auto&... each) { return quantized_binary(each...); }, operation, left, right, from_left,
            from_right, to, clamp, options);
    }
    const Pair pair{name, op, left, right, from_left, from_right, to};
    const std::optional<QuantizedBinaryArguments> arguments = arguments_of(pair, clamp);
    if (!arguments.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: the scales {}, {} and {} must be closer together, and an operand's below 1 "
                                      "where operands are compared",
                                      name, from_left.scale, from_right.scale, to.scale)};
    }
    return launch_pair(pair, refdev::KernelId::kQuantizedBinary, *arguments, options);
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
            fmt::format("{}: a condition of {}, for {} and {}; it must be of int8 or uint8, for operands of one type",
                        name, type_name(condition.type()), type_name(left.type()), type_name(right.type()))};
    }
    const Shape shape = broadcast_shape(name, broadcast_shape(name, condition.shape(), left.shape()), right.shape());
    const Tensor result = result_for(name, spec_of_broadcast(left, shape), options, left.device());
    const auto run_of = [&](const Tensor& operand) {
        return as_contiguous(broadcast_to(operand, shape, options.queue), options.queue);
    };
    return into_contiguous(result, options.queue, [&](const Tensor& run) {
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
