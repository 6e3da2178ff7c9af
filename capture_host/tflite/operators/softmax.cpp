#include <cmath>

#include "capture_host/operators/function_tables.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "hal/devices/refdev/kernels/argument_words.h"

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
    refdev::LogSoftmaxArguments arguments = context.in_range(
        operators::log_softmax_arguments(found.depth, found.input.scale), "its input scale is out of range");
    arguments.rows = found.rows;
    context.launch(refdev::KernelId::kLogSoftmax, arguments, found.input, found.output);
}

namespace {

// The common part of the scheme's three forms.
struct SoftmaxRows {
    QuantizedTensor input;
    QuantizedTensor output;
    std::uint32_t rows{0U};
    std::uint32_t depth{0U};
    float beta{0.0F};

    // The output's type determines its scale and zero point.
    void require_output(const OperatorContext& context, float scale, std::int32_t zero_point,
                        const char* missing) const {
        const Quantization& stored = output.tensor->quantization;
        context.require((stored.scales.size() == 1U) &&
                            (std::fabs(stored.scales.front() - scale) <= (scale * kScaleError)) &&
                            (stored.zero_points.front() == zero_point),
                        missing);
    }

  private:
    static constexpr float kScaleError = 0.001F;  // as the scheme bounds it
};

void lower_int8(OperatorContext& context, const SoftmaxRows& found) {
    const bool is_int8 = found.output.tensor->type == kTypeInt8;
    if (is_int8) {
        constexpr float kScale = 1.0F / 256.0F;
        constexpr std::int32_t kZeroPoint = -128;
        context.require((context.quantized_output({kTypeInt8}).scale == kScale) &&
                            (context.quantized_output({kTypeInt8}).zero_point == kZeroPoint),
                        "an output scale other than 1/256 with zero point -128 is not supported");
    } else {
        constexpr float kScale = 1.0F / 65536.0F;
        constexpr std::int32_t kZeroPoint = -32768;
        found.require_output(context, kScale, kZeroPoint,
                             "an output scale other than 1/65536 with zero point -32768 is not supported");
    }
    refdev::SoftmaxArguments arguments = context.in_range(
        operators::softmax_arguments(found.depth, found.beta, found.input.scale, found.output.kernel_type()),
        "its beta is out of range");
    arguments.rows = found.rows;
    context.launch(refdev::KernelId::kSoftmax, arguments, found.input, found.output);
}

void lower_int16(OperatorContext& context, const SoftmaxRows& found) {
    constexpr float kScale = 1.0F / 32768.0F;
    found.require_output(context, kScale, 0, "an output scale other than 1/32768 with zero point 0 is not supported");
    refdev::SoftmaxInt16Arguments arguments =
        context.in_range(operators::softmax_int16_arguments(found.depth, found.beta, found.input.scale));
    arguments.rows = found.rows;
    context.launch(refdev::KernelId::kSoftmaxInt16, arguments,
                   {{context.buffer(found.input)},
                    {context.add_table("tables", operators::softmax_tables())},
                    {context.buffer(found.output)}});
}

}  // namespace

void lower_softmax(OperatorContext& context) {
    context.require_operands(1U, 1U);
    SoftmaxRows found;
    found.beta = context.options<format::SoftmaxOptions>().beta();
    found.input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    const bool is_int8 = found.input.tensor->type == kTypeInt8;
    found.output = is_int8 ? context.typed_output({kTypeInt8, kTypeInt16}) : context.typed_output({kTypeInt16});
    context.require(found.input.tensor->shape == found.output.tensor->shape, "its input and output differ in shape");
    context.require(!found.input.tensor->shape.empty(), "an input of rank 0 is not supported");
    found.depth = found.input.tensor->shape.back();
    found.rows = found.input.tensor->elements / found.depth;
    if (is_int8) {
        lower_int8(context, found);
    } else {
        lower_int16(context, found);
    }
}

}  // namespace pianola::tflite
