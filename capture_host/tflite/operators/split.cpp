#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

// The outputs, one after the other along `axis`; `sizes` add up to its size. With `drops_axis`, outputs do not have it.
void record_split(OperatorContext& context, const AnyTensor& input, std::size_t axis,
                  const std::vector<std::int64_t>& sizes, bool drops_axis) {
    context.require_outputs(sizes.size());
    std::int64_t first = 0;
    for (std::size_t i = 0U; i < sizes.size(); ++i) {
        const AnyTensor output = context.any_output(i);
        context.require_same_elements(input, output);
        StridedView view = view_of(input);
        view.slice(axis, first, 1, static_cast<std::uint32_t>(sizes[i]));
        first += sizes[i];
        Shape expected = input.tensor->shape;
        expected[axis] = view.size(axis);
        if (drops_axis) {
            expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(axis));
        }
        require_shape(context, output, expected);
        record_view(context, view, context.buffer(input), context.buffer(output));
    }
}

std::size_t axis_operand(const OperatorContext& context, std::size_t position, const AnyTensor& input) {
    const std::vector<std::int32_t> axis = context.int32_constant(position, "axis", 1U);
    return axis_of(context, axis.front(), input.tensor->shape.size());
}

}  // namespace

void lower_split(OperatorContext& context) {
    context.require_inputs(2U, 2U);
    const AnyTensor input = context.any_input(1U, "input");
    const std::size_t axis = axis_operand(context, 0U, input);
    const std::size_t parts = context.output_count();
    const std::uint32_t size = input.tensor->shape[axis];
    const auto* const options = context.options_if_any<format::SplitOptions>();
    if (options != nullptr) {
        context.require_count("num_splits", options->num_splits(), parts, "outputs");
    }
    context.require((parts > 0U) && ((size % parts) == 0U), "its outputs do not divide its input");
    record_split(context, input, axis, std::vector<std::int64_t>(parts, size / static_cast<std::uint32_t>(parts)),
                 false);
}

void lower_split_v(OperatorContext& context) {
    constexpr std::size_t kAxisPosition = 2U;
    context.require_inputs(3U, 3U);
    const AnyTensor input = context.any_input(0U, "input");
    const std::size_t axis = axis_operand(context, kAxisPosition, input);
    std::vector<std::int64_t> sizes;
    std::int64_t rest = input.tensor->shape[axis];
    std::size_t unknown = 0U;
    for (const std::int32_t size : context.int32_constant(1U, "list of sizes", kMaxOperands)) {
        context.require((size > 0) || (size == -1), "an empty output is not supported");
        sizes.push_back(size);
        unknown += (size == -1) ? 1U : 0U;
        rest -= (size == -1) ? 0 : size;
    }
    const auto* const options = context.options_if_any<format::SplitVOptions>();
    if (options != nullptr) {
        context.require_count("num_splits", options->num_splits(), context.output_count(), "outputs");
    }
    context.require((unknown <= 1U) && ((unknown == 0U) ? (rest == 0) : (rest > 0)),
                    "its sizes do not add up to its input");
    for (std::int64_t& size : sizes) {
        size = (size == -1) ? rest : size;
    }
    record_split(context, input, axis, sizes, false);
}

void lower_unpack(OperatorContext& context) {
    context.require_inputs(1U, 1U);
    const AnyTensor input = context.any_input(0U, "input");
    const auto& options = context.options_or_defaults<format::UnpackOptions>();
    const std::size_t axis = axis_of(context, options.axis(), input.tensor->shape.size());
    if (context.options_if_any<format::UnpackOptions>() != nullptr) {
        context.require_count("num", options.num(), context.output_count(), "outputs");
    }
    context.require_outputs(input.tensor->shape[axis]);
    record_split(context, input, axis, std::vector<std::int64_t>(input.tensor->shape[axis], 1), true);
}

}  // namespace pianola::tflite
