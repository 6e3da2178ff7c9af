#include <algorithm>
#include <cmath>
#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

// Indices that are known now must exist; the kernel clamps computed ones.
void require_indices(const OperatorContext& context, std::size_t position, std::uint32_t entries) {
    const Tensor& indices = context.input(position, "list of indices");
    context.require(indices.type == kTypeInt32, "indices other than int32 are not supported");
    if (indices.is_constant) {
        for (const std::int32_t index : context.int32_elements(position, "list of indices", kMaxTensorBytes)) {
            context.require((index >= 0) && (static_cast<std::uint32_t>(index) < entries),
                            "one of its indices is outside its input");
        }
    }
}

Shape spliced(const Shape& first, std::size_t first_end, const Shape& middle, std::size_t middle_begin,
              const Shape& last, std::size_t last_begin) {
    Shape result(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(first_end));
    result.insert(result.end(), middle.begin() + static_cast<std::ptrdiff_t>(middle_begin), middle.end());
    result.insert(result.end(), last.begin() + static_cast<std::ptrdiff_t>(last_begin), last.end());
    return result;
}

// The pixel of `input` for each of `output` pixels, in the precision of the scheme.
std::vector<std::int32_t> nearest(std::uint32_t input, std::uint32_t output, bool align_corners,
                                  bool half_pixel_centers) {
    constexpr float kHalf = 0.5F;
    const bool aligned = align_corners && (output > 1U);
    const float scale = aligned ? (static_cast<float>(input - 1U) / static_cast<float>(output - 1U))
                                : (static_cast<float>(input) / static_cast<float>(output));
    const float offset = half_pixel_centers ? kHalf : 0.0F;
    std::vector<std::int32_t> entries;
    entries.reserve(output);
    for (std::uint32_t i = 0U; i < output; ++i) {
        const float position = (static_cast<float>(i) + offset) * scale;
        const auto entry = static_cast<std::int32_t>(align_corners ? std::round(position) : std::floor(position));
        entries.push_back(std::clamp(entry, 0, static_cast<std::int32_t>(input) - 1));
    }
    return entries;
}

}  // namespace

void lower_gather(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const auto& options = context.options_or_defaults<format::GatherOptions>();
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor indices = context.any_input(1U, "list of indices");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const Shape& shape = input.tensor->shape;
    const Shape& places = indices.tensor->shape;
    const std::size_t axis = axis_of(context, options.axis(), shape.size());
    const std::int64_t dims = (options.batch_dims() < 0)
                                  ? (std::int64_t{options.batch_dims()} + static_cast<std::int64_t>(places.size()))
                                  : std::int64_t{options.batch_dims()};
    context.require((dims >= 0) && (dims <= static_cast<std::int64_t>(std::min(axis, places.size()))),
                    "its batch dimensions do not fit its axis");
    const auto batch_dims = static_cast<std::size_t>(dims);
    context.require(std::equal(shape.begin(), shape.begin() + dims, places.begin()),
                    "its batch dimensions differ between input and indices");
    require_shape(context, output, spliced(shape, axis, places, batch_dims, shape, axis + 1U));
    require_indices(context, 1U, shape[axis]);

    const refdev::TakeArguments arguments = operators::take_arguments(
        shape, batch_dims, axis, product(places, batch_dims, places.size()), input.element_bytes);
    record_take(context, arguments, context.buffer(input), context.buffer(indices), context.buffer(output));
}

void lower_gather_nd(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor places = context.any_input(1U, "list of indices");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const Shape& shape = input.tensor->shape;
    context.require(!places.tensor->shape.empty(), "indices of rank 0 are not supported");
    const std::size_t last = places.tensor->shape.size() - 1U;
    const std::size_t depth = places.tensor->shape[last];
    context.require(depth <= shape.size(), "its indices have more dimensions than its input");
    context.require((depth == 1U) || places.tensor->is_constant,
                    "computed indices of more than one dimension are not supported; constants are");
    require_shape(context, output, spliced(places.tensor->shape, last, shape, depth, {}, 0U));

    refdev::TakeArguments arguments{};
    arguments.batches = 1U;
    arguments.outer = 1U;
    arguments.entries = product(shape, 0U, depth);
    arguments.count = product(places.tensor->shape, 0U, last);
    arguments.entry_bytes = product(shape, depth, shape.size()) * input.element_bytes;
    if (depth == 1U) {
        require_indices(context, 1U, arguments.entries);
        record_take(context, arguments, context.buffer(input), context.buffer(places), context.buffer(output));
        return;
    }
    const std::vector<std::int32_t> indices = context.int32_elements(1U, "list of indices", kMaxTensorBytes);
    std::vector<std::int32_t> flat(arguments.count, 0);
    for (std::size_t i = 0U; i < indices.size(); ++i) {
        const auto size = static_cast<std::int32_t>(shape[i % depth]);
        context.require((indices[i] >= 0) && (indices[i] < size), "one of its indices is outside its input");
        flat[i / depth] = (flat[i / depth] * size) + indices[i];
    }
    record_take(context, arguments, context.buffer(input), add_words(context, "indices", flat), context.buffer(output));
}

void lower_embedding_lookup(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const AnyTensor indices = context.any_input(0U, "list of indices");
    const AnyTensor input = context.any_input(1U, "table");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const Shape& shape = input.tensor->shape;
    context.require((indices.tensor->shape.size() == 1U) && (shape.size() > 1U), "its ranks are not supported");
    require_shape(context, output, spliced(indices.tensor->shape, 1U, shape, 1U, {}, 0U));
    require_indices(context, 0U, shape[0]);

    const refdev::TakeArguments arguments =
        operators::take_arguments(shape, 0U, 0U, indices.tensor->elements, input.element_bytes);
    record_take(context, arguments, context.buffer(input), context.buffer(indices), context.buffer(output));
}

void lower_resize_nearest_neighbor(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const auto& options = context.options_or_defaults<format::ResizeNearestNeighborOptions>();
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const std::vector<std::int32_t> sizes = context.int32_constant(1U, "size", 2U);
    const Shape& shape = input.tensor->shape;
    context.require((shape.size() == kImageRank) && (sizes.size() == 2U), "an input that is no image is not supported");
    context.require((sizes[0] > 0) && (sizes[1] > 0), "its size is not positive");
    const auto height = static_cast<std::uint32_t>(sizes[0]);
    const auto width = static_cast<std::uint32_t>(sizes[1]);
    require_shape(context, output, {shape[0], height, width, shape[3]});
    AxisIndices indices(kImageRank);
    // Rounding from half-pixel centres moves elements even if the size stays the same.
    const bool moves = options.align_corners() && options.half_pixel_centers();
    for (const auto& [axis, size] : {std::pair{1U, height}, std::pair{2U, width}}) {
        require_indices(context, size);
        if (moves || (size != shape[axis])) {
            indices.at(axis) = nearest(shape[axis], size, options.align_corners(), options.half_pixel_centers());
        }
    }
    record_takes(context, input, indices, context.buffer(output));
}

}  // namespace pianola::tflite
