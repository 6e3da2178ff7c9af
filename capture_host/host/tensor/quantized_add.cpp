#include <fmt/format.h>

#include "capture_host/host/tensor/broadcast.h"
#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "capture_host/operators/kernel_arguments.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
Tensor quantized_add(const Tensor& left, const Tensor& right, const Quantization& from_left,
                     const Quantization& from_right, const Quantization& to, const Clamp& clamp,
                     const OperationOptions& options) {
    if (is_distributed(left, right, options)) {
        return for_each_device(
            "quantized_add", [](const auto&... each) { return quantized_add(each...); }, left, right, from_left,
            from_right, to, clamp, options);
    }
    const char* const name = "add";
    require_int8(name, "input_tensor_a", left);
    require_int8(name, "input_tensor_b", right);
    require_same_device(name, left, right);
    require_quantizations(name, from_left, from_right, to);
    const operators::ActivationRange range = clamp_range(name, clamp);
    const std::optional<refdev::QuantizedBinaryArguments> sum = operators::quantized_binary_arguments(
        refdev::QuantizedBinaryOp::kAdd, refdev::kTypeInt8, {from_left.scale, from_left.zero_point},
        {from_right.scale, from_right.zero_point}, {to.scale, to.zero_point}, range);
    if (!sum.has_value()) {
        throw TensorError{
            TensorRule::kQuantization,
            fmt::format("{}: output_scale is {}; 2^19 times it must be above the operands' scales", name, to.scale)};
    }
    const Shape shape = broadcast_shape(name, left.shape(), right.shape());
    Tensor result = result_for(name, spec_of_broadcast(left, shape), options, left.device());
    refdev::AddArguments arguments = operators::add_arguments(*sum);
    pair_by_pair(broadcast_to(left, shape, options.queue), broadcast_to(right, shape, options.queue), result, name,
                 options.queue, refdev::KernelId::kAdd,
                 [&](const host::Argument& first, const host::Argument& second, const host::Argument& target,
                     std::uint32_t count) {
                     arguments.dims = {1U, 1U, 1U, count};
                     arguments.strides1 = {count, count, count, 1U};
                     arguments.strides2 = arguments.strides1;
                     return words_of(arguments, {first, second, target});
                 });
    return result;
}

}  // namespace pianola::tensor
