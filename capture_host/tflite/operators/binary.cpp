#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/wide_numbers.h"

namespace pianola::tflite {
namespace {

using refdev::BinaryOp;
using refdev::QuantizedBinaryArguments;
using refdev::QuantizedBinaryOp;

struct BroadcastPlan {
    std::array<std::uint32_t, 4> dims{1U, 1U, 1U, 1U};
    std::vector<std::array<std::uint32_t, 4>> strides;  // of each operand, in elements
};

// Neighbouring dimensions along which the same operands are repeated.
struct Group {
    std::uint32_t size{1U};
    std::uint32_t repeated{0U};  // bit i: operand i
};

std::size_t highest_rank(const std::vector<const Tensor*>& operands) {
    std::size_t rank = 0U;
    for (const Tensor* const operand : operands) {
        rank = std::max(rank, operand->shape.size());
    }
    return rank;
}

// The size of dimension `axis` of `rank`, with leading ones added.
std::uint32_t size_at(const Tensor& tensor, std::size_t axis, std::size_t rank) {
    const std::size_t front = rank - tensor.shape.size();
    return (axis < front) ? 1U : tensor.shape[axis - front];
}

std::vector<Group> groups_of(const OperatorContext& context, const std::vector<const Tensor*>& operands,
                             const Tensor& output) {
    const std::size_t rank = highest_rank(operands);
    context.require(output.shape.size() == rank, "its output does not follow from its inputs");
    std::vector<Group> groups;
    for (std::size_t axis = 0U; axis < rank; ++axis) {
        Group group;
        for (const Tensor* const operand : operands) {
            group.size = std::max(group.size, size_at(*operand, axis, rank));
        }
        for (std::size_t i = 0U; i < operands.size(); ++i) {
            const std::uint32_t size = size_at(*operands[i], axis, rank);
            context.require((size == group.size) || (size == 1U), "its shapes cannot be broadcast");
            group.repeated |= (size == group.size) ? 0U : (1U << i);
        }
        context.require(size_at(output, axis, rank) == group.size, "its output does not follow from its inputs");
        if (group.size == 1U) {
            continue;
        }
        if (!groups.empty() && (groups.back().repeated == group.repeated)) {
            groups.back().size *= group.size;  // at most the number of elements
        } else {
            groups.push_back(group);
        }
    }
    return groups;
}

// Refuses shapes that do not broadcast to the output's, or that need more than four dimensions.
BroadcastPlan plan_broadcast(const OperatorContext& context, const std::vector<const Tensor*>& operands,
                             const Tensor& output) {
    const std::vector<Group> groups = groups_of(context, operands, output);
    BroadcastPlan plan;
    context.require(groups.size() <= plan.dims.size(), "broadcasting along so many dimensions is not supported");
    plan.strides.resize(operands.size());
    const std::size_t front = plan.dims.size() - groups.size();
    std::vector<std::uint32_t> next(operands.size(), 1U);
    for (std::size_t i = groups.size(); i > 0U; --i) {
        const Group& group = groups[i - 1U];
        plan.dims.at((front + i) - 1U) = group.size;
        for (std::size_t operand = 0U; operand < operands.size(); ++operand) {
            const bool repeated = ((group.repeated >> operand) & 1U) != 0U;
            plan.strides[operand].at((front + i) - 1U) = repeated ? 0U : next[operand];
            next[operand] *= repeated ? 1U : group.size;
        }
    }
    return plan;
}

// Whole numbers are int32 without a scale. Models compute shapes and indices with them; sums and products wrap.

// Both operands as large as the output, of `count` elements.
struct WholeOperands {
    capture::BufferId left{};
    capture::BufferId right{};
    std::uint32_t count{0U};
};

// Operands of wrapping arithmetic have no scale.
void require_whole(const OperatorContext& context, const AnyTensor& operand) {
    context.require(operand.tensor->type == kTypeInt32, "its operands differ in type");
    context.require(operand.tensor->quantization.scales.empty(), "int32 with a scale is not supported");
}

// The operand with the output's shape.
capture::BufferId broadcast(OperatorContext& context, const AnyTensor& operand, const Tensor& output) {
    if (operand.tensor->elements == output.elements) {
        return context.buffer(operand);
    }
    const StridedView view = broadcast_view(context, operand, output.shape);
    const capture::BufferId wide = add_wide(context, output.elements);
    record_view(context, view, context.buffer(operand), wide);
    return wide;
}

WholeOperands operands_of(OperatorContext& context, const Tensor& output) {
    context.require_operands(2U, 2U);
    const AnyTensor left = context.any_input(0U, "input");
    const AnyTensor right = context.any_input(1U, "input");
    require_whole(context, left);
    require_whole(context, right);
    static_cast<void>(plan_broadcast(context, {left.tensor, right.tensor}, output));  // checks shapes
    return {broadcast(context, left, output), broadcast(context, right, output), output.elements};
}

void record_binary(OperatorContext& context, BinaryOp op, const WholeOperands& operands, capture::BufferId output) {
    context.launch(refdev::KernelId::kBinary,
                   refdev::BinaryArguments{0U, 0U, 0U, operands.count, refdev::kTypeInt32, op},
                   {{operands.left}, {operands.right}, {output}});
}

// Negates a truth value: the distance from 1.
void record_opposite(OperatorContext& context, std::uint32_t count, capture::BufferId verdicts) {
    for (const auto& [op, scalar] : {std::pair{refdev::UnaryOp::kAddScalar, -1}, {refdev::UnaryOp::kAbs, 0}}) {
        context.launch(refdev::KernelId::kUnary, refdev::UnaryArguments{0U, 0U, count, refdev::kTypeInt32, op, scalar},
                       {{verdicts}, {verdicts}});
    }
}

bool has_whole_numbers(const OperatorContext& context) {
    const Tensor* const first = context.optional_input(0U);
    return (first != nullptr) && (first->type == kTypeInt32);
}

void lower_whole_numbers(OperatorContext& context, refdev::BinaryOp op) {
    context.require_operands(2U, 2U);
    const AnyTensor output = context.any_output(0U);
    require_whole(context, output);
    record_binary(context, op, operands_of(context, *output.tensor), context.buffer(output));
}

// a >= b if a is the larger one, or both are equal: the larger one equals a.
void lower_whole_comparison(OperatorContext& context, QuantizedBinaryOp op) {
    context.require_operands(2U, 2U);
    const QuantizedTensor output = context.typed_output({kTypeBool});
    WholeOperands operands = operands_of(context, *output.tensor);
    const capture::BufferId verdicts = add_wide(context, operands.count);
    const bool is_greater = (op == QuantizedBinaryOp::kGreater) || (op == QuantizedBinaryOp::kGreaterEqual);
    const bool is_less = (op == QuantizedBinaryOp::kLess) || (op == QuantizedBinaryOp::kLessEqual);
    const bool holds_for_equal = (op == QuantizedBinaryOp::kEqual) || (op == QuantizedBinaryOp::kGreaterEqual) ||
                                 (op == QuantizedBinaryOp::kLessEqual);
    if (is_greater || is_less) {
        // A strict order is the negation of the reverse order with equality.
        const capture::BufferId larger = add_wide(context, operands.count);
        record_binary(context, BinaryOp::kMaximum, operands, larger);
        ((is_greater == holds_for_equal) ? operands.right : operands.left) = larger;
    }
    record_binary(context, BinaryOp::kEqual, operands, verdicts);
    if (!holds_for_equal) {
        record_opposite(context, operands.count, verdicts);
    }
    record_narrowing(context, verdicts, kExactly, 0, output);
}

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

// Without the range of the result.
QuantizedBinaryArguments arguments_of(const OperatorContext& context, QuantizedBinaryOp op, const Operands& operands,
                                      const char* out_of_range = "the ratio of its scales is out of range") {
    const BroadcastPlan plan = plan_broadcast(context, {operands.a.tensor, operands.b.tensor}, *operands.output.tensor);
    QuantizedBinaryArguments arguments = context.in_range(
        operators::quantized_binary_arguments(op, operands.a.kernel_type(), operands.a.affine(), operands.b.affine(),
                                              operands.output.affine(), ActivationRange{0, 0}),
        out_of_range);
    arguments.dims = plan.dims;
    arguments.strides1 = plan.strides[0];
    arguments.strides2 = plan.strides[1];
    return arguments;
}

template <typename AnyArguments>
void launch(OperatorContext& context, refdev::KernelId kernel, const AnyArguments& arguments, const Operands& operands,
            capture::BufferId second) {
    context.launch(kernel, arguments, {{context.buffer(operands.a)}, {second}, {context.buffer(operands.output)}});
}

void launch(OperatorContext& context, const QuantizedBinaryArguments& arguments, const Operands& operands) {
    launch(context, refdev::KernelId::kQuantizedBinary, arguments, operands, context.buffer(operands.b));
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

// Results of the operation are clamped to the activation's range.
void launch_arithmetic(OperatorContext& context, QuantizedBinaryOp op, const Operands& operands,
                       std::int8_t activation) {
    QuantizedBinaryArguments arguments = arguments_of(context, op, operands);
    const ActivationRange range = context.clamp_range(activation, operands.output);
    arguments.activation_min = range.min;
    arguments.activation_max = range.max;
    if ((op == QuantizedBinaryOp::kPrelu) && operands.is_int16()) {
        launch(context, refdev::KernelId::kQuantizedBinary, arguments, operands,
               add_widened(context, *operands.b.tensor));
    } else if ((op == QuantizedBinaryOp::kAdd) && !operands.is_int16()) {
        launch(context, refdev::KernelId::kAdd, operators::add_arguments(arguments), operands,
               context.buffer(operands.b));
    } else {
        launch(context, arguments, operands);
    }
}

// For int8 and int16, or whole numbers.
template <typename Options>
void lower_arithmetic(OperatorContext& context, QuantizedBinaryOp op, refdev::BinaryOp whole) {
    if (has_whole_numbers(context)) {
        context.require(context.options_or_defaults<Options>().fused_activation_function() == 0,
                        "a fused activation is not supported with int32");
        lower_whole_numbers(context, whole);
        return;
    }
    const Operands operands = arithmetic_operands(context);
    launch_arithmetic(context, op, operands, context.options_or_defaults<Options>().fused_activation_function());
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
    launch(context, arguments_of(context, op, operands), operands);
}

void lower_comparison(OperatorContext& context, QuantizedBinaryOp op, Types types) {
    if (has_whole_numbers(context)) {
        lower_whole_comparison(context, op);
        return;
    }
    const Operands operands = verdict_operands(context, types);
    QuantizedBinaryArguments arguments =
        arguments_of(context, op, operands, "an input scale of 1 and above is not supported");
    if (operands.a.tensor->type == kTypeBool) {
        arguments.input1_multiplier = kUnity.multiplier;
        arguments.input1_shift = kUnity.shift;
        arguments.input2_multiplier = kUnity.multiplier;
        arguments.input2_shift = kUnity.shift;
        arguments.left_shift = 0U;
    }
    launch(context, arguments, operands);
}

void lower_logical(OperatorContext& context, QuantizedBinaryOp op) {
    const Operands operands = verdict_operands(context, {kTypeBool});
    launch(context, arguments_of(context, op, operands), operands);
}

}  // namespace

void lower_add(OperatorContext& context) {
    lower_arithmetic<format::AddOptions>(context, QuantizedBinaryOp::kAdd, refdev::BinaryOp::kAdd);
}

void lower_sub(OperatorContext& context) {
    lower_arithmetic<format::SubOptions>(context, QuantizedBinaryOp::kSubtract, refdev::BinaryOp::kSubtract);
}

void lower_mul(OperatorContext& context) {
    lower_arithmetic<format::MulOptions>(context, QuantizedBinaryOp::kMultiply, refdev::BinaryOp::kMultiply);
}

void lower_squared_difference(OperatorContext& context) {
    launch_arithmetic(context, QuantizedBinaryOp::kSquaredDifference, arithmetic_operands(context), 0);
}

void lower_prelu(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const QuantizedTensor input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    const Operands operands{input, context.int8_input(1U, "alpha"), context.quantized_output({input.tensor->type})};
    context.require(!operands.is_int16() || operands.b.tensor->is_constant,
                    "a computed alpha is not supported with int16; a constant is");
    launch_arithmetic(context, QuantizedBinaryOp::kPrelu, operands, 0);
}

void lower_maximum(OperatorContext& context) {
    lower_extremum(context, QuantizedBinaryOp::kMaximum, refdev::BinaryOp::kMaximum);
}

void lower_minimum(OperatorContext& context) {
    lower_extremum(context, QuantizedBinaryOp::kMinimum, refdev::BinaryOp::kMinimum);
}

void lower_equal(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kEqual, {kTypeInt8, kTypeBool});
}

void lower_not_equal(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kNotEqual, {kTypeInt8, kTypeBool});
}

void lower_greater(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kGreater, {kTypeInt8});
}

void lower_greater_equal(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kGreaterEqual, {kTypeInt8});
}

void lower_less(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kLess, {kTypeInt8});
}

void lower_less_equal(OperatorContext& context) {
    lower_comparison(context, QuantizedBinaryOp::kLessEqual, {kTypeInt8});
}

void lower_logical_and(OperatorContext& context) {
    lower_logical(context, QuantizedBinaryOp::kLogicalAnd);
}

void lower_logical_or(OperatorContext& context) {
    lower_logical(context, QuantizedBinaryOp::kLogicalOr);
}

void lower_select_v2(OperatorContext& context) {
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
    const std::uint32_t element_bytes = a.tensor->size_bytes / a.tensor->elements;
    context.launch(refdev::KernelId::kSelect,
                   refdev::SelectArguments{0U, 0U, 0U, 0U, plan.dims, plan.strides[0], plan.strides[1], plan.strides[2],
                                           element_bytes},
                   {{context.buffer(condition)},
                    {context.buffer(operands.a)},
                    {context.buffer(operands.b)},
                    {context.buffer(operands.output)}});
}

}  // namespace pianola::tflite
