#include "capture_host/tflite/operators/whole_numbers.h"

#include <cstddef>
#include <utility>

#include "capture_host/tflite/operators/broadcast_plan.h"
#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/wide_numbers.h"

namespace pianola::tflite {
namespace {

using refdev::BinaryOp;

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

capture::BufferId spread(OperatorContext& context, const AnyTensor& operand, const Tensor& output) {
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
    return {spread(context, left, output), spread(context, right, output), output.elements};
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

}  // namespace

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
void lower_whole_comparison(OperatorContext& context, const Comparison& comparison) {
    context.require_operands(2U, 2U);
    const QuantizedTensor output = context.typed_output({kTypeBool});
    WholeOperands operands = operands_of(context, *output.tensor);
    const capture::BufferId verdicts = add_wide(context, operands.count);
    if (comparison.order != Order::kNone) {
        // A strict order is the negation of the reverse order with equality.
        const bool first_is_larger = (comparison.order == Order::kGreaterFirst) == comparison.holds_for_equal;
        const capture::BufferId larger = add_wide(context, operands.count);
        record_binary(context, BinaryOp::kMaximum, operands, larger);
        (first_is_larger ? operands.right : operands.left) = larger;
    }
    record_binary(context, BinaryOp::kEqual, operands, verdicts);
    if (!comparison.holds_for_equal) {
        record_opposite(context, operands.count, verdicts);
    }
    record_narrowing(context, verdicts, kExactly, 0, output);
}

}  // namespace pianola::tflite
