#include <cmath>

#include "capture_host/operators/function_tables.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

constexpr float kInt16OutputScale = 1.0F / 32768.0F;
constexpr float kLogisticOutputScale = 1.0F / 256.0F;
constexpr float kTanhOutputScale = 1.0F / 128.0F;

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

refdev::RescaleArguments rescaling(const Ends& ends, const TwoScales& scales, std::uint32_t input_type,
                                   std::uint32_t output_type) {
    refdev::RescaleArguments arguments = operators::rescale_arguments(input_type, output_type, scales.others);
    arguments.count = ends.input.tensor->elements;
    arguments.negative_multiplier = scales.negative.multiplier;
    arguments.negative_shift = scales.negative.shift;
    return arguments;
}

void rescale(OperatorContext& context, const Ends& ends, const TwoScales& scales, const ActivationRange& range) {
    refdev::RescaleArguments arguments = rescaling(ends, scales, refdev::kTypeInt16, refdev::kTypeInt16);
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    context.launch(refdev::KernelId::kRescale, arguments, ends.input, ends.output);
}

// Values below 0 are rescaled, rounded, and then negated.
void rescale_and_negate(OperatorContext& context, const Ends& ends, const TwoScales& scales) {
    constexpr FixedPoint kMinusOne{-kUnity.multiplier, kUnity.shift};
    const capture::BufferId numbers =
        context.add_temporary(static_cast<std::uint32_t>(sizeof(std::int32_t)) * ends.input.tensor->elements);
    context.launch(refdev::KernelId::kRescale, rescaling(ends, scales, refdev::kTypeInt16, refdev::kTypeInt32),
                   {{context.buffer(ends.input)}, {numbers}});
    context.launch(refdev::KernelId::kRescale,
                   rescaling(ends, {kUnity, kMinusOne}, refdev::kTypeInt32, refdev::kTypeInt16),
                   {{numbers}, {context.buffer(ends.output)}});
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
                  operators::relu_table(ends.input.affine(), ends.output.affine(), range));
}

void lower_sigmoid_int16(OperatorContext& context, const Ends& ends, refdev::SigmoidOp op) {
    context.require(ends.output.scale == kInt16OutputScale,
                    "an int16 output scale other than 1/32768 is not supported");
    refdev::SigmoidInt16Arguments arguments =
        context.in_range(operators::sigmoid_int16_arguments(op, ends.input.scale),
                         "such a large scale of its input is not supported with int16");
    arguments.count = ends.input.tensor->elements;
    context.launch(refdev::KernelId::kSigmoidInt16, arguments,
                   {{context.buffer(ends.input)},
                    {context.add_table("table", operators::sigmoid_table())},
                    {context.buffer(ends.output)}});
}

}  // namespace

void launch_lookup(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output,
                   const std::optional<ByteTable>& table) {
    context.launch(refdev::KernelId::kLookup, refdev::LookupArguments{0U, 0U, 0U, input.tensor->elements, 1U},
                   {{context.buffer(input)}, {context.add_byte_table(table)}, {context.buffer(output)}});
}

void lower_logistic(OperatorContext& context) {
    const Ends ends = int8_or_int16_ends(context);
    if (ends.is_int16()) {
        lower_sigmoid_int16(context, ends, refdev::SigmoidOp::kLogistic);
        return;
    }
    context.require((ends.output.scale == kLogisticOutputScale) && (ends.output.zero_point == INT8_MIN),
                    "an output scale other than 1/256 with zero point -128 is not supported");
    launch_lookup(context, ends.input, ends.output, operators::logistic_table(ends.input.affine()));
}

void lower_tanh(OperatorContext& context) {
    const Ends ends = int8_or_int16_ends(context);
    if (ends.is_int16()) {
        lower_sigmoid_int16(context, ends, refdev::SigmoidOp::kTanh);
        return;
    }
    context.require((ends.output.scale == kTanhOutputScale) && (ends.output.zero_point == 0),
                    "an output scale other than 1/128 with zero point 0 is not supported");
    launch_lookup(context, ends.input, ends.output, operators::tanh_table(ends.input.affine()));
}

void lower_hard_swish(OperatorContext& context) {
    const Ends ends = int8_ends(context);
    launch_lookup(context, ends.input, ends.output,
                  operators::hard_swish_table(ends.input.affine(), ends.output.affine()));
}

void lower_elu(OperatorContext& context) {
    const Ends ends = int8_ends(context);
    launch_lookup(context, ends.input, ends.output, operators::elu_table(ends.input.affine(), ends.output.affine()));
}

void lower_exp(OperatorContext& context) {
    const Ends ends = int8_ends(context);
    launch_lookup(context, ends.input, ends.output, operators::exp_table(ends.input.affine(), ends.output.affine()));
}

void lower_rsqrt(OperatorContext& context) {
    const Ends ends = int8_ends(context);
    launch_lookup(context, ends.input, ends.output, operators::rsqrt_table(ends.input.affine(), ends.output.affine()));
}

void lower_abs(OperatorContext& context) {
    const Ends ends = int8_or_int16_ends(context);
    if (ends.is_int16()) {
        const FixedPoint scale = ratio(context, ends);
        rescale(context, ends, {scale, {-scale.multiplier, scale.shift}}, kInt16Range);
        return;
    }
    launch_lookup(context, ends.input, ends.output, operators::abs_table(ends.input.affine(), ends.output.affine()));
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
                  operators::leaky_relu_table(ends.input.affine(), ends.output.affine(), alpha));
}

void lower_logical_not(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const QuantizedTensor input = context.typed_input(0U, "input", {kTypeBool});
    const QuantizedTensor output = context.typed_output({kTypeBool});
    context.require_same_shape(input, output);
    launch_lookup(context, input, output, operators::logical_not_table());
}

}  // namespace pianola::tflite
