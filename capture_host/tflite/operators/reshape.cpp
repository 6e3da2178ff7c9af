#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operators.h"

namespace pianola::tflite {

void lower_reshape(OperatorContext& context) {
    context.require_operands(1U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require(input.tensor->elements == output.tensor->elements, "its input and output differ in size");
    context.require_same_elements(input, output);
}

// Without a list of axes, all of size 1.
void lower_squeeze(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const auto& options = context.options_or_defaults<format::SqueezeOptions>();
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const Shape& shape = input.tensor->shape;
    const bool has_list = (options.squeeze_dims() != nullptr) && (options.squeeze_dims()->size() > 0U);
    std::vector<bool> goes(shape.size(), false);
    for (std::size_t axis = 0U; !has_list && (axis < shape.size()); ++axis) {
        goes[axis] = shape[axis] == 1U;
    }
    for (std::uint32_t i = 0U; has_list && (i < options.squeeze_dims()->size()); ++i) {
        const std::size_t axis = axis_of(context, options.squeeze_dims()->Get(i), shape.size());
        context.require(shape[axis] == 1U, "it squeezes an axis of another size than 1");
        goes[axis] = true;
    }
    Shape expected;
    for (std::size_t axis = 0U; axis < shape.size(); ++axis) {
        if (!goes[axis]) {
            expected.push_back(shape[axis]);
        }
    }
    require_shape(context, output, expected);
}

void lower_expand_dims(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const std::vector<std::int32_t> axis = context.int32_constant(1U, "axis", 1U);
    context.require(axis.size() == 1U, "it has more than one axis");
    Shape expected = input.tensor->shape;
    const std::size_t place = axis_of(context, axis.front(), expected.size() + 1U);
    expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(place), 1U);
    require_shape(context, output, expected);
}

}  // namespace pianola::tflite
