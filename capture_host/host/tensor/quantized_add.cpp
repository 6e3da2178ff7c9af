#include <fmt/format.h>

#include "capture_host/host/tensor/broadcast.h"
#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

struct AddLaunch {
    static constexpr refdev::KernelId kKernel = refdev::KernelId::kAdd;
    refdev::AddArguments arguments;

    host::Arguments operator()(const host::Argument& left, const host::Argument& right, const host::Argument& to,
                               std::uint32_t count) const {
        refdev::AddArguments launch = arguments;
        launch.dims = {1U, 1U, 1U, count};
        launch.strides1 = {count, count, count, 1U};
        launch.strides2 = launch.strides1;
        host::Arguments words = words_of(launch);
        words[refdev::word_of(offsetof(refdev::AddArguments, input1))] = left;
        words[refdev::word_of(offsetof(refdev::AddArguments, input2))] = right;
        words[refdev::word_of(offsetof(refdev::AddArguments, output))] = to;
        return words;
    }
};

}  // namespace

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
    const std::optional<operators::AddScaling> scaling =
        operators::add_scaling(from_left.scale, from_right.scale, to.scale);
    if (!scaling.has_value()) {
        throw TensorError{
            TensorRule::kQuantization,
            fmt::format("{}: output_scale is {}; 2^19 times it must be above the operands' scales", name, to.scale)};
    }
    const Shape shape = broadcast_shape(name, left.shape(), right.shape());
    Tensor result = result_for(name, spec_of_broadcast(left, shape), options, left.device());
    refdev::AddArguments arguments{};
    arguments.input1_offset = -from_left.zero_point;
    arguments.input1_multiplier = scaling->first.multiplier;
    arguments.input1_shift = scaling->first.shift;
    arguments.input2_offset = -from_right.zero_point;
    arguments.input2_multiplier = scaling->second.multiplier;
    arguments.input2_shift = scaling->second.shift;
    arguments.left_shift = operators::kAddLeftShift;
    arguments.output_offset = to.zero_point;
    arguments.output_multiplier = scaling->output.multiplier;
    arguments.output_shift = scaling->output.shift;
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    pair_by_pair(broadcast_to(left, shape, options.queue), broadcast_to(right, shape, options.queue), result, name,
                 options.queue, AddLaunch{arguments});
    return result;
}

}  // namespace pianola::tensor
