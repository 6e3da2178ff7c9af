#include <cmath>
#include <cstddef>

#include "capture_host/operators/word_table.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

constexpr float kInt16OutputScale = 1.0F / 32768.0F;
constexpr float kLogisticOutputScale = 1.0F / 256.0F;
constexpr float kTanhOutputScale = 1.0F / 128.0F;

Affine affine(const QuantizedTensor& tensor) {
    return Affine{tensor.scale, tensor.zero_point};
}

// One input, and an output of the same type and shape.
struct Ends {
    QuantizedTensor input;
    QuantizedTensor output;

    Ends(const OperatorContext& context, Types types)
        : input{context.quantized_input(0U, "input", types)}, output{context.quantized_output(types)} {
        context.require(input.tensor->type == output.tensor->type, "its input and output differ in type");
        context.require_same_shape(input, output);
    }

    [[nodiscard]] bool is_int16() const { return input.tensor->type == kTypeInt16; }
};

Ends int8_ends(OperatorContext& context) {
    context.require_operands(1U, 1U);
    return Ends{context, {kTypeInt8}};
}

Ends int8_or_int16_ends(OperatorContext& context) {
    context.require_operands(1U, 1U);
    return Ends{context, {kTypeInt8, kTypeInt16}};
}

// int16: too many values for a table. Numbers below 0 have a separate scale.
struct TwoScales {
    FixedPoint others;
    FixedPoint negative;
};

refdev::RescaleArguments rescaling(const Ends& ends, const TwoScales& scales, const ActivationRange& range) {
    refdev::RescaleArguments arguments{};
    arguments.count = ends.input.tensor->elements;
    arguments.input_type = refdev::kTypeInt16;
    arguments.output_type = refdev::kTypeInt16;
    arguments.multiplier = scales.others.multiplier;
    arguments.shift = scales.others.shift;
    arguments.negative_multiplier = scales.negative.multiplier;
    arguments.negative_shift = scales.negative.shift;
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    return arguments;
}

void rescale(OperatorContext& context, const Ends& ends, const TwoScales& scales, const ActivationRange& range) {
    context.launch(refdev::KernelId::kRescale, rescaling(ends, scales, range), ends.input, ends.output);
}

// Values below 0 are rescaled, rounded, and then negated.
void rescale_and_negate(OperatorContext& context, const Ends& ends, const TwoScales& scales) {
    using Arguments = refdev::RescaleArguments;
    constexpr FixedPoint kMinusOne{-kUnity.multiplier, kUnity.shift};
    const capture::BufferId numbers =
        context.add_temporary(static_cast<std::uint32_t>(sizeof(std::int32_t)) * ends.input.tensor->elements);
    Arguments arguments = rescaling(ends, scales, {INT32_MIN, INT32_MAX});
    arguments.output_type = refdev::kTypeInt32;
    context.launch(refdev::KernelId::kRescale, arguments,
                   {{offsetof(Arguments, input), context.buffer(ends.input), Access::kRead},
                    {offsetof(Arguments, output), numbers, Access::kWrite}});
    arguments = rescaling(ends, {kUnity, kMinusOne}, kInt16Range);
    arguments.input_type = refdev::kTypeInt32;
    context.launch(refdev::KernelId::kRescale, arguments,
                   {{offsetof(Arguments, input), numbers, Access::kRead},
                    {offsetof(Arguments, output), context.buffer(ends.output), Access::kWrite}});
}

FixedPoint ratio(const OperatorContext& context, const Ends& ends) {
    return context.multiplier(static_cast<double>(ends.input.scale / ends.output.scale));
}

// RELU and RELU_N1_TO_1 rescale.
void lower_rescaled_relu(OperatorContext& context, Activation activation) {
    const Ends ends = int8_or_int16_ends(context);
    const ActivationRange range = context.clamp_range(static_cast<std::int8_t>(activation), ends.output);
    if (ends.is_int16()) {
        const FixedPoint scale = ratio(context, ends);
        rescale(context, ends, {scale, scale}, range);
        return;
    }
    launch_lookup(context, ends.input, ends.output,
                  operators::relu_table(affine(ends.input), affine(ends.output), range));
}

void lower_sigmoid_int16(OperatorContext& context, const Ends& ends, refdev::SigmoidOp op, std::int32_t whole_shifts) {
    using Arguments = refdev::SigmoidInt16Arguments;
    context.require(ends.output.scale == kInt16OutputScale,
                    "an int16 output scale other than 1/32768 is not supported");
    const std::optional<FixedPoint> scale = operators::sigmoid_scale(ends.input.scale, whole_shifts);
    if (!scale.has_value()) {
        context.refuse("such a large scale of its input is not supported with int16");
    }
    Arguments arguments{};
    arguments.count = ends.input.tensor->elements;
    arguments.op = op;
    arguments.multiplier = scale->multiplier;
    arguments.shift = scale->shift;
    context.launch(refdev::KernelId::kSigmoidInt16, arguments,
                   {{offsetof(Arguments, input), context.buffer(ends.input), Access::kRead},
                    {offsetof(Arguments, table), context.add_table("table", operators::sigmoid_table()), Access::kRead},
                    {offsetof(Arguments, output), context.buffer(ends.output), Access::kWrite}});
}

}  // namespace

void launch_lookup(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output,
                   const std::optional<ByteTable>& table) {
    using Arguments = refdev::LookupArguments;
    Arguments arguments{};
    arguments.count = input.tensor->elements;
    arguments.element_bytes = 1U;
    context.launch(refdev::KernelId::kLookup, arguments,
                   {{offsetof(Arguments, input), context.buffer(input), Access::kRead},
                    {offsetof(Arguments, table), context.add_byte_table(table), Access::kRead},
                    {offsetof(Arguments, output), context.buffer(output), Access::kWrite}});
}

void lower_logistic(OperatorContext& context) {
    const Ends ends = int8_or_int16_ends(context);
    if (ends.is_int16()) {
        lower_sigmoid_int16(context, ends, refdev::SigmoidOp::kLogistic, 1);
        return;
    }
    context.require((ends.output.scale == kLogisticOutputScale) && (ends.output.zero_point == INT8_MIN),
                    "an output scale other than 1/256 with zero point -128 is not supported");
    launch_lookup(context, ends.input, ends.output, operators::logistic_table(affine(ends.input)));
}

void lower_tanh(OperatorContext& context) {
    const Ends ends = int8_or_int16_ends(context);
    if (ends.is_int16()) {
        lower_sigmoid_int16(context, ends, refdev::SigmoidOp::kTanh, 2);
        return;
    }
    context.require((ends.output.scale == kTanhOutputScale) && (ends.output.zero_point == 0),
                    "an output scale other than 1/128 with zero point 0 is not supported");
    launch_lookup(context, ends.input, ends.output, operators::tanh_table(affine(ends.input)));
}

void lower_hard_swish(OperatorContext& context) {
    const Ends ends = int8_ends(context);
    launch_lookup(context, ends.input, ends.output,
                  operators::hard_swish_table(affine(ends.input), affine(ends.output)));
}

void lower_elu(OperatorContext& context) {
    const Ends ends = int8_ends(context);
    launch_lookup(context, ends.input, ends.output, operators::elu_table(affine(ends.input), affine(ends.output)));
}

void lower_exp(OperatorContext& context) {
    const Ends ends = int8_ends(context);
    launch_lookup(context, ends.input, ends.output, operators::exp_table(affine(ends.input), affine(ends.output)));
}

void lower_rsqrt(OperatorContext& context) {
    const Ends ends = int8_ends(context);
    launch_lookup(context, ends.input, ends.output, operators::rsqrt_table(affine(ends.input), affine(ends.output)));
}

void lower_abs(OperatorContext& context) {
    const Ends ends = int8_or_int16_ends(context);
    if (ends.is_int16()) {
        const FixedPoint scale = ratio(context, ends);
        rescale(context, ends, {scale, {-scale.multiplier, scale.shift}}, kInt16Range);
        return;
    }
    launch_lookup(context, ends.input, ends.output, operators::abs_table(affine(ends.input), affine(ends.output)));
}

void lower_relu(OperatorContext& context) {
    lower_rescaled_relu(context, Activation::kRelu);
}

void lower_relu_n1_to_1(OperatorContext& context) {
    lower_rescaled_relu(context, Activation::kReluN1To1);
}

// The reference clamps its input, whatever the output's scale.
void lower_relu6(OperatorContext& context) {
    const Ends ends = int8_or_int16_ends(context);
    const ActivationRange range = context.clamp_range(static_cast<std::int8_t>(Activation::kRelu6), ends.input);
    if (ends.is_int16()) {
        rescale(context, ends, {kUnity, kUnity}, range);
        return;
    }
    launch_lookup(context, ends.input, ends.output, operators::clamp_table(range));
}

void lower_leaky_relu(OperatorContext& context) {
    const Ends ends = int8_or_int16_ends(context);
    const float alpha = context.options<format::LeakyReluOptions>().alpha();
    if (ends.is_int16()) {
        const double slope = std::fabs(static_cast<double>((ends.input.scale * alpha) / ends.output.scale));
        const TwoScales scales{ratio(context, ends), context.multiplier(slope)};
        if (alpha < 0.0F) {
            rescale_and_negate(context, ends, scales);
        } else {
            rescale(context, ends, scales, kInt16Range);
        }
        return;
    }
    launch_lookup(context, ends.input, ends.output,
                  operators::leaky_relu_table(affine(ends.input), affine(ends.output), alpha));
}

void lower_logical_not(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const QuantizedTensor input = context.typed_input(0U, "input", {kTypeBool});
    const QuantizedTensor output = context.typed_output({kTypeBool});
    context.require_same_shape(input, output);
    launch_lookup(context, input, output, operators::logical_not_table());
}

}  // namespace pianola::tflite
