#include <algorithm>
#include <cstddef>

#include "capture_host/tflite/operators/dims4.h"
#include "capture_host/tflite/operators/operators.h"

namespace pianola::tflite {
namespace {

constexpr float kSoftmaxOutputScale = 1.0F / 256.0F;
constexpr std::int32_t kSoftmaxOutputZeroPoint = -128;

// Element strides of an operand in the result that it is broadcast to.
Dims4 broadcast_strides(const OperatorContext& context, const Dims4& operand, const Dims4& result) {
    Dims4 strides{};
    std::uint32_t stride = 1U;
    for (std::size_t i = operand.size(); i > 0U; --i) {
        const std::size_t axis = i - 1U;
        context.require((operand.at(axis) == result.at(axis)) || (operand.at(axis) == 1U),
                        "its shapes cannot be broadcast");
        strides.at(axis) = (operand.at(axis) == result.at(axis)) ? stride : 0U;
        stride *= operand.at(axis);
    }
    return strides;
}

void fill_shapes(const OperatorContext& context, const Tensor& a, const Tensor& b, const Tensor& out,
                 refdev::AddArguments& arguments) {
    if ((a.shape == out.shape) && (b.shape == out.shape)) {
        const Dims4 dims{1U, 1U, 1U, out.elements};
        const Dims4 strides{out.elements, out.elements, out.elements, 1U};
        std::copy(dims.begin(), dims.end(), std::begin(arguments.dims));
        std::copy(strides.begin(), strides.end(), std::begin(arguments.strides1));
        std::copy(strides.begin(), strides.end(), std::begin(arguments.strides2));
        return;
    }
    const Dims4 result = dims4(context, out);
    const Dims4 dims_a = dims4(context, a);
    const Dims4 dims_b = dims4(context, b);
    for (std::size_t i = 0U; i < result.size(); ++i) {
        context.require(result.at(i) == std::max(dims_a.at(i), dims_b.at(i)),
                        "its output does not follow from its inputs");
    }
    const Dims4 strides_a = broadcast_strides(context, dims_a, result);
    const Dims4 strides_b = broadcast_strides(context, dims_b, result);
    std::copy(result.begin(), result.end(), std::begin(arguments.dims));
    std::copy(strides_a.begin(), strides_a.end(), std::begin(arguments.strides1));
    std::copy(strides_b.begin(), strides_b.end(), std::begin(arguments.strides2));
}

}  // namespace

void lower_add(OperatorContext& context) {
    using Arguments = refdev::AddArguments;
    context.require_operands(2U, 2U);
    const auto& options = context.options<format::AddOptions>();
    const Int8Tensor a = context.int8_input(0U, "input");
    const Int8Tensor b = context.int8_input(1U, "input");
    const Int8Tensor output = context.int8_output();

    Arguments arguments{};
    fill_shapes(context, *a.tensor, *b.tensor, *output.tensor, arguments);
    const std::optional<AddScaling> scaling = add_scaling(a.scale, b.scale, output.scale);
    if (!scaling.has_value()) {
        context.refuse("the ratio of its scales is out of range");
    }
    const ActivationRange range = context.clamp_range(options.fused_activation_function(), output);
    arguments.input1_offset = -a.zero_point;
    arguments.input1_multiplier = scaling->first.multiplier;
    arguments.input1_shift = scaling->first.shift;
    arguments.input2_offset = -b.zero_point;
    arguments.input2_multiplier = scaling->second.multiplier;
    arguments.input2_shift = scaling->second.shift;
    arguments.left_shift = kAddLeftShift;
    arguments.output_offset = output.zero_point;
    arguments.output_multiplier = scaling->output.multiplier;
    arguments.output_shift = scaling->output.shift;
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    context.launch(refdev::KernelId::kAdd, arguments,
                   {{offsetof(Arguments, input1), context.buffer(a), Access::kRead},
                    {offsetof(Arguments, input2), context.buffer(b), Access::kRead},
                    {offsetof(Arguments, output), context.buffer(output), Access::kWrite}});
}

void lower_softmax(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const auto& options = context.options<format::SoftmaxOptions>();
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    context.require(input.tensor->shape == output.tensor->shape, "its input and output differ in shape");
    context.require(!input.tensor->shape.empty(), "an input of rank 0 is not supported");
    context.require((output.scale == kSoftmaxOutputScale) && (output.zero_point == kSoftmaxOutputZeroPoint),
                    "an output scale other than 1/256 with zero point -128 is not supported");
    const std::optional<SoftmaxScaling> scaling = softmax_scaling(options.beta(), input.scale);
    if (!scaling.has_value()) {
        context.refuse("its beta is out of range");
    }

    refdev::SoftmaxArguments arguments{};
    arguments.depth = input.tensor->shape.back();
    arguments.rows = input.tensor->elements / arguments.depth;
    arguments.input_multiplier = scaling->multiplier;
    arguments.input_left_shift = scaling->left_shift;
    arguments.diff_min = scaling->diff_min;
    context.launch(refdev::KernelId::kSoftmax, arguments, input, output);
}

void lower_quantize(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    context.require(input.tensor->elements == output.tensor->elements, "its input and output differ in size");
    const FixedPoint scale = context.multiplier(static_cast<double>(input.scale) / static_cast<double>(output.scale));

    refdev::RequantizeArguments arguments{};
    arguments.count = input.tensor->elements;
    arguments.input_zero_point = input.zero_point;
    arguments.multiplier = scale.multiplier;
    arguments.shift = scale.shift;
    arguments.output_zero_point = output.zero_point;
    context.launch(refdev::KernelId::kRequantize, arguments, input, output);
}

}  // namespace pianola::tflite
