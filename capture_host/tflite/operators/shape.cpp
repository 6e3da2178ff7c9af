#include <algorithm>
#include <cstddef>

#include "capture_host/tflite/operators/dims4.h"
#include "capture_host/tflite/operators/operators.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kPaddingsPosition = 1U;
constexpr std::size_t kPadValuePosition = 2U;

void lower_pad_with(OperatorContext& context, const Int8Tensor& input, const Int8Tensor& output, std::int32_t value) {
    context.require_same_quantization(input, output);
    const Dims4 dims = dims4(context, *input.tensor);
    const Dims4 out = dims4(context, *output.tensor);
    const std::size_t rank = input.tensor->shape.size();
    const std::vector<std::int32_t> paddings =
        context.int32_constant(kPaddingsPosition, "table of paddings", 2U * static_cast<std::uint32_t>(dims.size()));
    context.require((paddings.size() == (2U * rank)) && (output.tensor->shape.size() == rank),
                    "its paddings do not fit its rank");

    refdev::PadArguments arguments{};
    std::copy(dims.begin(), dims.end(), std::begin(arguments.dims));
    const std::size_t front = dims.size() - rank;
    for (std::size_t i = 0U; i < rank; ++i) {
        const std::int32_t before = paddings[2U * i];
        const std::int32_t after = paddings[(2U * i) + 1U];
        context.require((before >= 0) && (after >= 0), "negative paddings are not supported");
        const std::int64_t padded = std::int64_t{dims.at(front + i)} + before + after;
        context.require(padded == std::int64_t{out.at(front + i)}, "its output size does not follow from its input");
        arguments.before[front + i] = static_cast<std::uint32_t>(before);
        arguments.after[front + i] = static_cast<std::uint32_t>(after);
    }
    arguments.value = value;
    context.launch(refdev::KernelId::kPad, arguments, input, output);
}

}  // namespace

void lower_pad(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const Int8Tensor output = context.int8_output();
    lower_pad_with(context, context.int8_input(0U, "input"), output, output.zero_point);
}

void lower_pad_v2(OperatorContext& context) {
    context.require_operands(3U, 3U);
    const Int8Tensor output = context.int8_output();
    const Tensor& value = context.int8_constant(kPadValuePosition, "padding value");
    context.require((value.elements == 1U) && (value.quantization.scales.size() == 1U),
                    "more than one padding value is not supported");
    context.require((value.quantization.zero_points.front() == output.zero_point) &&
                        (value.quantization.scales.front() == output.scale),
                    "different quantisation of padding value and output is not supported");
    lower_pad_with(context, context.int8_input(0U, "input"), output, static_cast<std::int8_t>(value.contents[0]));
}

void lower_reshape(OperatorContext& context) {
    context.require_operands(1U, 2U);
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    context.require(input.tensor->elements == output.tensor->elements, "its input and output differ in size");
    context.require_same_quantization(input, output);
}

}  // namespace pianola::tflite
