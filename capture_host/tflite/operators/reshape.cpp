#include <algorithm>
#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "pianola/config.h"

namespace pianola::tflite {

namespace {

// One of the lengths may be -1, which means the remaining elements.
void require_lengths(const OperatorContext& context, const char* what, const std::vector<std::int32_t>& lengths,
                     const Shape& shape) {
    bool fits = lengths.size() == shape.size();
    for (std::size_t i = 0U; fits && (i < lengths.size()); ++i) {
        fits = (lengths[i] == -1) || (std::int64_t{lengths[i]} == std::int64_t{shape[i]});
    }
    if (!fits || (std::count(lengths.begin(), lengths.end(), -1) > 1)) {
        context.refuse(std::string{"its output shape does not follow from its "} + what);
    }
}

// For lists that are known now, in its second input or in its options. A computed list is not read: the output has its
// shape.
void require_new_shape(const OperatorContext& context, const Shape& shape) {
    const Tensor* const list = context.optional_input(1U);
    const bool is_empty = (list != nullptr) && list->is_empty;
    if ((list != nullptr) && (list->is_constant || is_empty)) {
        require_lengths(
            context, "list of lengths",
            is_empty ? std::vector<std::int32_t>{} : context.int32_constant(1U, "list of lengths", kMaxRank), shape);
    }
    const auto* const options = context.options_if_any<format::ReshapeOptions>();
    if ((options != nullptr) && (options->new_shape() != nullptr) && (options->new_shape()->size() > 0U)) {
        require_lengths(context, "new_shape", {options->new_shape()->begin(), options->new_shape()->end()}, shape);
    }
}

}  // namespace

void lower_reshape(OperatorContext& context) {
    context.require_operands(1U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require(input.tensor->elements == output.tensor->elements, "its input and output differ in size");
    context.require_same_elements(input, output);
    require_new_shape(context, output.tensor->shape);
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
