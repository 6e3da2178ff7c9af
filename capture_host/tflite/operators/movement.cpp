#include "capture_host/tflite/operators/movement.h"

#include <algorithm>

#include "capture_host/tflite/operators/operator_context.h"
#include "pianola/bytes.h"

namespace pianola::tflite {

StridedView view_of(const AnyTensor& operand) {
    return StridedView{operand.tensor->shape, operand.element_bytes};
}

std::size_t axis_of(const OperatorContext& context, std::int64_t axis, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    context.require((axis >= -count) && (axis < count), "it names an axis that does not exist");
    return static_cast<std::size_t>((axis < 0) ? (axis + count) : axis);
}

Shape reduced_shape(const Shape& shape, const std::vector<bool>& goes, bool keeps) {
    Shape left;
    for (std::size_t axis = 0U; axis < shape.size(); ++axis) {
        if (!goes.at(axis)) {
            left.push_back(shape[axis]);
        } else if (keeps) {
            left.push_back(1U);
        }
    }
    return left;
}

void require_shape(const OperatorContext& context, const AnyTensor& output, const Shape& expected) {
    context.require(output.tensor->shape == expected, "its output shape does not follow from its input");
}

StridedView broadcast_view(const OperatorContext& context, const AnyTensor& operand, const Shape& result) {
    StridedView view = view_of(operand);
    context.require(view.rank() <= result.size(), "its shapes cannot be broadcast");
    while (view.rank() < result.size()) {
        view.insert(0U);
    }
    for (std::size_t axis = 0U; axis < result.size(); ++axis) {
        context.require((view.size(axis) == result[axis]) || (view.size(axis) == 1U), "its shapes cannot be broadcast");
        if (view.size(axis) != result[axis]) {
            view.repeat(axis, result[axis]);
        }
    }
    return view;
}

void record_view(OperatorContext& context, const StridedView& view, capture::BufferId input, capture::BufferId output) {
    constexpr std::size_t kMostLaunches = 256U;
    const std::vector<operators::ViewLaunch> launches = operators::view_launches(view, kMostLaunches);
    context.require(!launches.empty(), "a movement of so many dimensions is not supported");
    for (const operators::ViewLaunch& launch : launches) {
        context.launch(refdev::KernelId::kView, launch.arguments,
                       {{input, launch.input_offset_bytes}, {output, launch.output_offset_bytes}});
    }
}

void require_indices(const OperatorContext& context, std::uint64_t count) {
    context.require(count <= (kMaxTableBytes / sizeof(std::int32_t)), "an axis of so many indices is not supported");
}

void record_take(OperatorContext& context, const refdev::TakeArguments& arguments, capture::BufferId input,
                 capture::BufferId indices, capture::BufferId output) {
    context.launch(refdev::KernelId::kTake, arguments, {{input}, {indices}, {output}});
}

capture::BufferId add_words(OperatorContext& context, const char* what, const std::vector<std::int32_t>& words) {
    std::vector<std::uint8_t> contents(words.size() * sizeof(std::int32_t));
    for (std::size_t i = 0U; i < words.size(); ++i) {
        store_le32(Span<std::uint8_t>{contents.data(), contents.size()}, i * sizeof(std::int32_t),
                   static_cast<std::uint32_t>(words[i]));
    }
    return context.add_table(what, std::move(contents));
}

void record_takes(OperatorContext& context, const AnyTensor& input, const AxisIndices& indices,
                  capture::BufferId output) {
    Shape shape = input.tensor->shape;
    const std::size_t rank = shape.size();
    auto remaining = std::count_if(indices.begin(), indices.end(), [](const auto& list) { return !list.empty(); });
    capture::BufferId from = context.buffer(input);
    if (remaining == 0) {
        record_view(context, view_of(input), from, output);
    }
    for (std::size_t axis = 0U; axis < rank; ++axis) {
        const std::vector<std::int32_t>& list = indices.at(axis);
        if (list.empty()) {
            continue;
        }
        const auto count = static_cast<std::uint32_t>(list.size());
        const refdev::TakeArguments arguments = operators::take_arguments(shape, 0U, axis, count, input.element_bytes);
        shape[axis] = count;
        remaining -= 1;
        const capture::BufferId to =
            (remaining == 0) ? output : context.add_temporary(product(shape, 0U, rank) * input.element_bytes);
        record_take(context, arguments, from, add_words(context, "indices", list), to);
        from = to;
    }
}

void lower_transpose(OperatorContext& context) {
    constexpr std::size_t kOrderPosition = 1U;
    context.require_operands(2U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const Shape& shape = input.tensor->shape;
    const std::vector<std::int32_t> axes =
        context.int32_constant(kOrderPosition, "permutation", static_cast<std::uint32_t>(shape.size()));
    context.require(axes.size() == shape.size(), "its permutation does not fit its rank");
    std::vector<std::size_t> order;
    Shape expected;
    for (const std::int32_t axis : axes) {
        order.push_back(axis_of(context, axis, shape.size()));
        context.require(std::count(order.begin(), order.end(), order.back()) == 1, "its permutation repeats an axis");
        expected.push_back(shape[order.back()]);
    }
    require_shape(context, output, expected);
    StridedView view = view_of(input);
    view.permute(order);
    record_view(context, view, context.buffer(input), context.buffer(output));
}

void lower_reverse_v2(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    require_shape(context, output, input.tensor->shape);
    StridedView view = view_of(input);
    std::vector<bool> reversed(view.rank(), false);
    for (const std::int32_t axis :
         context.int32_constant(kAxesPosition, "list of axes", static_cast<std::uint32_t>(view.rank()))) {
        const std::size_t index = axis_of(context, axis, view.rank());
        context.require(!reversed[index], "it reverses an axis twice");
        reversed[index] = true;
        view.reverse(index);
    }
    record_view(context, view, context.buffer(input), context.buffer(output));
}

}  // namespace pianola::tflite
