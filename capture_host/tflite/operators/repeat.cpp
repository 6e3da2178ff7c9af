#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "pianola/config.h"

namespace pianola::tflite {
namespace {

void record_repeated(OperatorContext& context, capture::BufferId element, const AnyTensor& output) {
    StridedView view{{1U}, output.element_bytes};
    view.repeat(0U, output.tensor->elements);
    record_view(context, view, element, context.buffer(output));
}

// Checks that the operand at `position` is the output's shape.
void require_shape_operand(const OperatorContext& context, std::size_t position, const AnyTensor& output) {
    Shape expected;
    for (const std::int32_t size : context.int32_constant(position, "shape", kMaxRank)) {
        context.require(size > 0, "an empty output is not supported");
        expected.push_back(static_cast<std::uint32_t>(size));
    }
    require_shape(context, output, expected);
}

}  // namespace

void lower_broadcast_to(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    require_shape_operand(context, 1U, output);
    record_view(context, broadcast_view(context, input, output.tensor->shape), context.buffer(input),
                context.buffer(output));
}

void lower_tile(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    Shape expected = input.tensor->shape;
    const std::vector<std::int32_t> multiples =
        context.int32_constant(1U, "list of multiples", static_cast<std::uint32_t>(expected.size()));
    context.require(multiples.size() == expected.size(), "its multiples do not fit its rank");
    StridedView view = view_of(input);
    for (std::size_t axis = expected.size(); axis > 0U; --axis) {
        const std::int32_t multiple = multiples[axis - 1U];
        context.require(multiple > 0, "an empty output is not supported");
        context.require((std::uint64_t{expected[axis - 1U]} * static_cast<std::uint32_t>(multiple)) <= kMaxTensorBytes,
                        "its multiples are too large");
        expected[axis - 1U] *= static_cast<std::uint32_t>(multiple);
        view.insert(axis - 1U);
        view.repeat(axis - 1U, static_cast<std::uint32_t>(multiple));
    }
    require_shape(context, output, expected);
    record_view(context, view, context.buffer(input), context.buffer(output));
}

void lower_fill(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const AnyTensor value = context.any_input(1U, "value");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(value, output);
    context.require(value.tensor->elements == 1U, "more than one value is not supported");
    require_shape_operand(context, 0U, output);
    record_repeated(context, context.buffer(value), output);
}

// Bytes of 0, as in the published operator: the zero point is ignored.
void lower_zeros_like(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require(input.tensor->type == output.tensor->type, "different types of input and output are not supported");
    require_shape(context, output, input.tensor->shape);
    const std::vector<std::uint8_t> zeros(output.element_bytes, 0U);
    record_repeated(context, context.add_table("zero", zeros), output);
}

}  // namespace pianola::tflite
