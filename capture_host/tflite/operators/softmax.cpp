#include <cmath>
#include <cstddef>

#include "capture_host/operators/word_table.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
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
    const std::optional<operators::SoftmaxScaling> scaling = operators::softmax_scaling(found.beta, found.input.scale);
    if (!scaling.has_value()) {
        context.refuse("its beta is out of range");
    }
    refdev::SoftmaxArguments arguments{};
    arguments.rows = found.rows;
    arguments.depth = found.depth;
    arguments.input_multiplier = scaling->multiplier;
    arguments.input_left_shift = scaling->left_shift;
    arguments.diff_min = scaling->diff_min;
    arguments.output_type = is_int8 ? refdev::kTypeInt8 : refdev::kTypeInt16;
    context.launch(refdev::KernelId::kSoftmax, arguments, found.input, found.output);
}

void lower_int16(OperatorContext& context, const SoftmaxRows& found) {
    using Arguments = refdev::SoftmaxInt16Arguments;
    constexpr float kScale = 1.0F / 32768.0F;
    found.require_output(context, kScale, 0, "an output scale other than 1/32768 with zero point 0 is not supported");
    const std::optional<FixedPoint> scale = operators::softmax_int16_scale(found.beta, found.input.scale);
    if (!scale.has_value()) {
        context.refuse("the ratio of its scales is out of range");
    }
    Arguments arguments{};
    arguments.rows = found.rows;
    arguments.depth = found.depth;
    arguments.multiplier = scale->multiplier;
    arguments.shift = scale->shift;
    context.launch(
        refdev::KernelId::kSoftmaxInt16, arguments,
        {{offsetof(Arguments, input), context.buffer(found.input), Access::kRead},
         {offsetof(Arguments, tables), context.add_table("tables", operators::softmax_tables()), Access::kRead},
         {offsetof(Arguments, output), context.buffer(found.output), Access::kWrite}});
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
