#include <cstddef>
#include <utility>

#include "capture_host/tflite/operators/broadcast_plan.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/whole_numbers.h"

namespace pianola::tflite {
namespace {

using refdev::QuantizedBinaryArguments;
using refdev::QuantizedBinaryOp;

constexpr std::uint32_t kSquareLeftShift = 7U;
constexpr std::uint32_t kCompareLeftShift = 8U;

// Two inputs of one type, and an output.
struct Operands {
    QuantizedTensor a;
    QuantizedTensor b;
    QuantizedTensor output;

    [[nodiscard]] bool is_int16() const { return a.tensor->type == kTypeInt16; }
};

Operands arithmetic_operands(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const QuantizedTensor a = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    return {a, context.quantized_input(1U, "input", {a.tensor->type}), context.quantized_output({a.tensor->type})};
}

// Inputs of bool have no scale: 1 is used.
Operands verdict_operands(OperatorContext& context, Types types) {
    context.require_operands(2U, 2U);
    const QuantizedTensor a = context.typed_input(0U, "input", types);
    const QuantizedTensor output = context.typed_output({kTypeBool});
    if (a.tensor->type == kTypeBool) {
        return {a, context.typed_input(1U, "input", {kTypeBool}), output};
    }
    return {context.quantized_input(0U, "input", types), context.quantized_input(1U, "input", {a.tensor->type}),
            output};
}

QuantizedBinaryArguments arguments_of(const OperatorContext& context, QuantizedBinaryOp op, const Operands& operands) {
    const BroadcastPlan plan = plan_broadcast(context, {operands.a.tensor, operands.b.tensor}, *operands.output.tensor);
    QuantizedBinaryArguments arguments{};
    arguments.dims = plan.dims;
    arguments.strides1 = plan.strides[0];
    arguments.strides2 = plan.strides[1];
    arguments.type = operands.is_int16() ? refdev::kTypeInt16 : refdev::kTypeInt8;
    arguments.op = op;
    arguments.input1_offset = -operands.a.zero_point;
    arguments.input2_offset = -operands.b.zero_point;
    arguments.output_offset = operands.output.zero_point;
    return arguments;
}

void set_range(QuantizedBinaryArguments& arguments, const ActivationRange& range) {
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
}

void set_scales(QuantizedBinaryArguments& arguments, const FixedPoint& first, const FixedPoint& second,
                const FixedPoint& output) {
    arguments.input1_multiplier = first.multiplier;
    arguments.input1_shift = first.shift;
    arguments.input2_multiplier = second.multiplier;
    arguments.input2_shift = second.shift;
    arguments.output_multiplier = output.multiplier;
    arguments.output_shift = output.shift;
}

template <typename AnyArguments>
void launch(OperatorContext& context, refdev::KernelId kernel, const AnyArguments& arguments, const Operands& operands,
            capture::BufferId second) {
    context.launch(kernel, arguments,
                   {{offsetof(AnyArguments, input1), context.buffer(operands.a), Access::kRead},
                    {offsetof(AnyArguments, input2), second, Access::kRead},
                    {offsetof(AnyArguments, output), context.buffer(operands.output), Access::kWrite}});
}

template <typename AnyArguments>
void launch(OperatorContext& context, refdev::KernelId kernel, const AnyArguments& arguments,
            const Operands& operands) {
    launch(context, kernel, arguments, operands, context.buffer(operands.b));
}

// The constant's elements as int16.
capture::BufferId add_widened(OperatorContext& context, const Tensor& constant) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(std::size_t{constant.elements} * sizeof(std::int16_t));
    for (const std::uint8_t byte : constant.contents) {
        constexpr std::uint8_t kSign = 0x80U;
        bytes.push_back(byte);
        bytes.push_back((byte < kSign) ? 0U : UINT8_MAX);
    }
    return context.add_table("widened constant", std::move(bytes));
}

void set_scaling(const OperatorContext& context, QuantizedBinaryArguments& arguments,
                 const std::optional<operators::AddScaling>& scaling, std::uint32_t left_shift) {
    if (!scaling.has_value()) {
        context.refuse("the ratio of its scales is out of range");
    }
    set_scales(arguments, scaling->first, scaling->second, scaling->output);
    arguments.left_shift = left_shift;
}

template <typename Options>
void lower_whole_arithmetic(OperatorContext& context, refdev::BinaryOp op) {
    context.require(context.options_or_defaults<Options>().fused_activation_function() == 0,
                    "a fused activation is not supported with int32");
    lower_whole_numbers(context, op);
}

// The scheme uses the elements as they are.
void lower_extremum(OperatorContext& context, QuantizedBinaryOp op, refdev::BinaryOp whole) {
    if (has_whole_numbers(context)) {
        lower_whole_numbers(context, whole);
        return;
    }
    const Operands operands = arithmetic_operands(context);
    context.require_same_quantization(operands.a, operands.output);
    context.require_same_quantization(operands.b, operands.output);
    launch(context, refdev::KernelId::kQuantizedBinary, arguments_of(context, op, operands), operands);
}

void lower_comparison(OperatorContext& context, QuantizedBinaryOp op, Types types, const Comparison& whole) {
    if (has_whole_numbers(context)) {
        lower_whole_comparison(context, whole);
        return;
    }
    const Operands operands = verdict_operands(context, types);
    QuantizedBinaryArguments arguments = arguments_of(context, op, operands);
    if (operands.a.tensor->type == kTypeBool) {
        set_scales(arguments, kUnity, kUnity, kUnity);
    } else {
        const std::optional<FixedPoint> first = operators::quantize_fraction(static_cast<double>(operands.a.scale));
        const std::optional<FixedPoint> second = operators::quantize_fraction(static_cast<double>(operands.b.scale));
        if (!first.has_value() || !second.has_value()) {
            context.refuse("an input scale of 1 and above is not supported");
        }
        set_scales(arguments, *first, *second, kUnity);
        arguments.left_shift = kCompareLeftShift;
    }
    launch(context, refdev::KernelId::kQuantizedBinary, arguments, operands);
}

void lower_logical(OperatorContext& context, QuantizedBinaryOp op) {
    const Operands operands = verdict_operands(context, {kTypeBool});
    launch(context, refdev::KernelId::kQuantizedBinary, arguments_of(context, op, operands), operands);
}

}  // namespace

// The separate kernel of int8 sums is faster.
void lower_add(OperatorContext& context) {
    if (has_whole_numbers(context)) {
        lower_whole_arithmetic<format::AddOptions>(context, refdev::BinaryOp::kAdd);
        return;
    }
    const Operands operands = arithmetic_operands(context);
    const ActivationRange range = context.clamp_range(
        context.options_or_defaults<format::AddOptions>().fused_activation_function(), operands.output);
    const std::uint32_t left_shift = operands.is_int16() ? operators::kAddLeftShift16 : operators::kAddLeftShift;
    QuantizedBinaryArguments arguments = arguments_of(context, QuantizedBinaryOp::kAdd, operands);
    set_scaling(context, arguments,
                operators::add_scaling(operands.a.scale, operands.b.scale, operands.output.scale, left_shift),
                left_shift);
    set_range(arguments, range);
    if (operands.is_int16()) {
        launch(context, refdev::KernelId::kQuantizedBinary, arguments, operands);
        return;
    }
    launch(context, refdev::KernelId::kAdd,
           refdev::AddArguments{arguments.input1, arguments.input2, arguments.output, arguments.dims,
                                arguments.strides1, arguments.strides2, arguments.input1_offset,
                                arguments.input1_multiplier, arguments.input1_shift, arguments.input2_offset,
                                arguments.input2_multiplier, arguments.input2_shift, arguments.left_shift,
                                arguments.output_offset, arguments.output_multiplier, arguments.output_shift,
                                arguments.activation_min, arguments.activation_max},
           operands);
}

void lower_sub(OperatorContext& context) {
    if (has_whole_numbers(context)) {
        lower_whole_arithmetic<format::SubOptions>(context, refdev::BinaryOp::kSubtract);
        return;
    }
    const Operands operands = arithmetic_operands(context);
    const std::uint32_t left_shift = operands.is_int16() ? operators::kAddLeftShift16 : operators::kAddLeftShift;
    QuantizedBinaryArguments arguments = arguments_of(context, QuantizedBinaryOp::kSubtract, operands);
    set_scaling(context, arguments,
                operators::subtract_scaling(operands.a.scale, operands.b.scale, operands.output.scale, left_shift),
                left_shift);
    set_range(arguments,
              context.clamp_range(context.options_or_defaults<format::SubOptions>().fused_activation_function(),
                                  operands.output));
    launch(context, refdev::KernelId::kQuantizedBinary, arguments, operands);
}

void lower_mul(OperatorContext& context) {
    if (has_whole_numbers(context)) {
        lower_whole_arithmetic<format::MulOptions>(context, refdev::BinaryOp::kMultiply);
        return;
    }
    const Operands operands = arithmetic_operands(context);
    QuantizedBinaryArguments arguments = arguments_of(context, QuantizedBinaryOp::kMultiply, operands);
    const double real = static_cast<double>(operands.a.scale) * static_cast<double>(operands.b.scale) /
                        static_cast<double>(operands.output.scale);
    set_scales(arguments, kUnity, kUnity, context.multiplier(real));
    set_range(arguments,
              context.clamp_range(context.options_or_defaults<format::MulOptions>().fused_activation_function(),
                                  operands.output));
    launch(context, refdev::KernelId::kQuantizedBinary, arguments, operands);
}

void lower_squared_difference(OperatorContext& context) {
    const Operands operands = arithmetic_operands(context);
    const std::uint32_t left_shift = operands.is_int16() ? 0U : kSquareLeftShift;
    QuantizedBinaryArguments arguments = arguments_of(context, QuantizedBinaryOp::kSquaredDifference, operands);
    set_scaling(
        context, arguments,
        operators::squared_difference_scaling(operands.a.scale, operands.b.scale, operands.output.scale, left_shift),
        left_shift);
    set_range(arguments, operands.is_int16() ? kInt16Range : ActivationRange{});
    launch(context, refdev::KernelId::kQuantizedBinary, arguments, operands);
}

void lower_prelu(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const QuantizedTensor input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    const Operands operands{input, context.int8_input(1U, "alpha"), context.quantized_output({input.tensor->type})};
    context.require(!operands.is_int16() || operands.b.tensor->is_constant,
                    "a computed alpha is not supported with int16; a constant is");
    QuantizedBinaryArguments arguments = arguments_of(context, QuantizedBinaryOp::kPrelu, operands);
    const double identity = static_cast<double>(operands.a.scale) / static_cast<double>(operands.output.scale);
    const double slope = static_cast<double>(operands.a.scale) * static_cast<double>(operands.b.scale) /
                         static_cast<double>(operands.output.scale);
    set_scales(arguments, context.multiplier(identity), kUnity, context.multiplier(slope));
    if (operands.is_int16()) {
        set_range(arguments, kInt16Range);
        launch(context, refdev::KernelId::kQuantizedBinary, arguments, operands,
               add_widened(context, *operands.b.tensor));
        return;
    }
    set_range(arguments, ActivationRange{});
    launch(context, refdev::KernelId::kQuantizedBinary, arguments, operands);
}

void lower_maximum(OperatorContext& context) {
    lower_extremum(context, QuantizedBinaryOp::kMaximum, refdev::BinaryOp::kMaximum);
}

void lower_minimum(OperatorContext& context) {
    lower_extremum(context, QuantizedBinaryOp::kMinimum, refdev::BinaryOp::kMinimum);
}

void lower_equal(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kEqual, {kTypeInt8, kTypeBool}, {Order::kNone, true});
}

void lower_not_equal(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kNotEqual, {kTypeInt8, kTypeBool}, {Order::kNone, false});
}

void lower_greater(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kGreater, {kTypeInt8}, {Order::kGreaterFirst, false});
}

void lower_greater_equal(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kGreaterEqual, {kTypeInt8}, {Order::kGreaterFirst, true});
}

void lower_less(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kLess, {kTypeInt8}, {Order::kLessFirst, false});
}

void lower_less_equal(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kLessEqual, {kTypeInt8}, {Order::kLessFirst, true});
}

void lower_logical_and(OperatorContext& context) {
    lower_logical(context, QuantizedBinaryOp::kLogicalAnd);
}

void lower_logical_or(OperatorContext& context) {
    lower_logical(context, QuantizedBinaryOp::kLogicalOr);
}

void lower_select_v2(OperatorContext& context) {
    using SelectArguments = refdev::SelectArguments;
    constexpr std::size_t kOtherPosition = 2U;
    context.require_operands(3U, 3U);
    const Types types{kTypeInt8, kTypeInt16, kTypeInt32, kTypeFloat32, kTypeBool, kTypeUint8};
    const QuantizedTensor condition = context.typed_input(0U, "condition", {kTypeBool});
    const QuantizedTensor a = context.typed_input(1U, "input", types);
    const Operands operands{a, context.typed_input(kOtherPosition, "input", {a.tensor->type}),
                            context.typed_output({a.tensor->type})};
    // Elements are moved, with a scale or without; an invalid scale is refused.
    static_cast<void>(context.any_input(1U, "input"));
    static_cast<void>(context.any_input(kOtherPosition, "input"));
    static_cast<void>(context.any_output(0U));
    context.require_stored_same_quantization(operands.a, operands.output);
    context.require_stored_same_quantization(operands.b, operands.output);
    const BroadcastPlan plan =
        plan_broadcast(context, {condition.tensor, a.tensor, operands.b.tensor}, *operands.output.tensor);
    SelectArguments arguments{};
    arguments.dims = plan.dims;
    arguments.condition_strides = plan.strides[0];
    arguments.strides1 = plan.strides[1];
    arguments.strides2 = plan.strides[2];
    arguments.element_bytes = a.tensor->size_bytes / a.tensor->elements;
    context.launch(refdev::KernelId::kSelect, arguments,
                   {{offsetof(SelectArguments, condition), context.buffer(condition), Access::kRead},
                    {offsetof(SelectArguments, input1), context.buffer(operands.a), Access::kRead},
                    {offsetof(SelectArguments, input2), context.buffer(operands.b), Access::kRead},
                    {offsetof(SelectArguments, output), context.buffer(operands.output), Access::kWrite}});
}

}  // namespace pianola::tflite
