#include <cstddef>

#include "capture_host/tflite/operators/operators.h"

namespace pianola::tflite {
namespace {

constexpr float kSoftmaxOutputScale = 1.0F / 256.0F;
constexpr std::int32_t kSoftmaxOutputZeroPoint = -128;

}  // namespace

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

}  // namespace pianola::tflite
