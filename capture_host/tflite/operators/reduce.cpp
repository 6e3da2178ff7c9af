#include <algorithm>
#include <cstddef>

#include "capture_host/tflite/operators/dims4.h"
#include "capture_host/tflite/operators/operators.h"
#include "hal/kernels/launch_check.h"

namespace pianola::tflite {

namespace {

// A sum is a mean whose scale does not hold the division.
void lower_mean_or_sum(OperatorContext& context, bool divides) {
    constexpr std::size_t kAxesPosition = 1U;
    context.require_operands(2U, 2U);
    const QuantizedTensor input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    const QuantizedTensor output = context.quantized_output({input.tensor->type});
    const Dims4 dims = dims4(context, *input.tensor);
    const auto rank = static_cast<std::int32_t>(input.tensor->shape.size());
    const auto front = static_cast<std::int32_t>(dims.size()) - rank;

    refdev::MeanArguments arguments{};
    std::copy(dims.begin(), dims.end(), std::begin(arguments.dims));
    for (const std::int32_t axis : context.int32_constant(kAxesPosition, "list of axes", dims.size())) {
        context.require((axis >= -rank) && (axis < rank), "it names an axis that does not exist");
        arguments.reduced_axes |= 1U << static_cast<std::uint32_t>(front + ((axis < 0) ? (axis + rank) : axis));
    }
    context.require(arguments.reduced_axes != 0U, "a reduction over no axis is not supported");
    std::uint32_t count = 1U;  // at most the number of elements: no overflow
    for (std::uint32_t axis = 0U; axis < dims.size(); ++axis) {
        count *= ((arguments.reduced_axes & (1U << axis)) != 0U) ? dims.at(axis) : 1U;
    }
    context.require(count <= refdev::kMaxTaps, "a reduction over so many elements is not supported");
    context.require((std::uint64_t{count} * output.tensor->elements) == input.tensor->elements,
                    "its output size does not follow from its input");
    const FixedPoint ratio = context.multiplier(static_cast<double>(input.scale) / static_cast<double>(output.scale));
    const FixedPoint scale = divides ? fold_count(ratio, count) : ratio;
    arguments.input_zero_point = input.zero_point;
    arguments.output_zero_point = output.zero_point;
    arguments.multiplier = scale.multiplier;
    arguments.shift = scale.shift;
    arguments.type = (input.tensor->type == kTypeInt8) ? refdev::kTypeInt8 : refdev::kTypeInt16;
    context.launch(refdev::KernelId::kMean, arguments, input, output);
}

}  // namespace

void lower_mean(OperatorContext& context) {
    lower_mean_or_sum(context, true);
}

void lower_sum(OperatorContext& context) {
    lower_mean_or_sum(context, false);
}

}  // namespace pianola::tflite
