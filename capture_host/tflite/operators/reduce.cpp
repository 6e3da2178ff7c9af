#include <algorithm>
#include <cstddef>

#include "capture_host/tflite/operators/dims4.h"
#include "capture_host/tflite/operators/operators.h"
#include "hal/kernels/launch_check.h"

namespace pianola::tflite {

void lower_mean(OperatorContext& context) {
    constexpr std::size_t kAxesPosition = 1U;
    context.require_operands(2U, 2U);
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    const Dims4 dims = dims4(context, *input.tensor);
    const auto rank = static_cast<std::int32_t>(input.tensor->shape.size());
    const auto front = static_cast<std::int32_t>(dims.size()) - rank;

    refdev::MeanArguments arguments{};
    std::copy(dims.begin(), dims.end(), std::begin(arguments.dims));
    for (const std::int32_t axis : context.int32_constant(kAxesPosition, "list of axes", dims.size())) {
        context.require((axis >= -rank) && (axis < rank), "it names an axis that does not exist");
        arguments.reduced_axes |= 1U << static_cast<std::uint32_t>(front + ((axis < 0) ? (axis + rank) : axis));
    }
    context.require(arguments.reduced_axes != 0U, "a mean over no axis is not supported");
    std::uint32_t count = 1U;  // at most the number of elements: no overflow
    for (std::uint32_t axis = 0U; axis < dims.size(); ++axis) {
        count *= ((arguments.reduced_axes & (1U << axis)) != 0U) ? dims.at(axis) : 1U;
    }
    context.require(count <= refdev::kMaxTaps, "a mean over so many elements is not supported");
    context.require((std::uint64_t{count} * output.tensor->elements) == input.tensor->elements,
                    "its output size does not follow from its input");
    const FixedPoint scale =
        fold_count(context.multiplier(static_cast<double>(input.scale) / static_cast<double>(output.scale)), count);
    arguments.input_zero_point = input.zero_point;
    arguments.output_zero_point = output.zero_point;
    arguments.multiplier = scale.multiplier;
    arguments.shift = scale.shift;
    context.launch(refdev::KernelId::kMean, arguments, input, output);
}

}  // namespace pianola::tflite
