#include <cstddef>

#include "capture_host/tflite/operators/operator_context.h"
#include "hal/devices/refdev/kernels/argument_rules.h"

namespace pianola::tflite {
namespace {

// Two tensors of int8 that are processed by rows of the last dimension.
struct NormalizedRows {
    Int8Tensor input;
    Int8Tensor output;
    std::uint32_t rows{1U};
    std::uint32_t depth{1U};
};

NormalizedRows rows_of(const OperatorContext& context, std::int32_t most) {
    context.require_operands(1U, 1U);
    NormalizedRows found{context.int8_input(0U, "input"), context.int8_output()};
    const Tensor& input = *found.input.tensor;
    context.require(input.shape == found.output.tensor->shape, "its input and output differ in shape");
    context.require(!input.shape.empty(), "an input of rank 0 is not supported");
    found.depth = input.shape.back();
    context.require(found.depth <= static_cast<std::uint32_t>(most), "rows of so many elements are not supported");
    found.rows = input.elements / found.depth;
    return found;
}

}  // namespace

void lower_l2_normalization(OperatorContext& context) {
    constexpr float kOutputScale = 1.0F / 128.0F;
    const NormalizedRows found = rows_of(context, refdev::kMaxNormalizedDepth);
    context.require(context.options_or_defaults<format::L2NormOptions>().fused_activation_function() == 0,
                    "a fused activation is not supported");
    context.require((found.output.scale == kOutputScale) && (found.output.zero_point == 0),
                    "an output scale other than 1/128 with zero point 0 is not supported");
    const refdev::L2NormalizationArguments arguments{0U, 0U, found.rows, found.depth, found.input.zero_point};
    context.launch(refdev::KernelId::kL2Normalization, arguments, found.input, found.output);
}

void lower_log_softmax(OperatorContext& context) {
    constexpr float kOutputScale = 1.0F / 16.0F;
    const NormalizedRows found = rows_of(context, refdev::kMaxSoftmaxDepth);
    context.require((found.output.scale == kOutputScale) && (found.output.zero_point == INT8_MAX),
                    "an output scale other than 1/16 with zero point 127 is not supported");
    std::optional<refdev::LogSoftmaxArguments> arguments =
        operators::log_softmax_arguments(found.depth, found.input.scale);
    if (!arguments.has_value()) {
        context.refuse("its input scale is out of range");
    }
    arguments->rows = found.rows;
    context.launch(refdev::KernelId::kLogSoftmax, *arguments, found.input, found.output);
}

}  // namespace pianola::tflite
