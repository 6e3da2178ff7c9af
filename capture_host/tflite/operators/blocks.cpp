#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kBlockPosition = 1U;
constexpr std::size_t kMarginPosition = 2U;

std::uint32_t block_size_of(const OperatorContext& context, std::int32_t size) {
    context.require(size > 0, "a block size below 1 is not supported");
    return static_cast<std::uint32_t>(size);
}

// The blocks of the dimensions after the first, and the margins there: paddings or crops.
struct Blocks {
    std::vector<std::uint32_t> sizes;
    std::vector<AxisPadding> margins;  // of every dimension
    bool has_margins{false};
};

Blocks blocks_of(const OperatorContext& context, const Shape& shape) {
    context.require(shape.size() > 1U, "its rank is not supported");
    const auto most = static_cast<std::uint32_t>(shape.size()) - 1U;
    const std::vector<std::int32_t> sizes = context.int32_constant(kBlockPosition, "block shape", most);
    const std::vector<std::int32_t> margins = context.int32_pairs(kMarginPosition, "table of margins", most);
    context.require(margins.size() == (2U * sizes.size()), "its margins do not fit its block");
    Blocks blocks;
    blocks.margins.resize(shape.size());
    for (std::size_t i = 0U; i < sizes.size(); ++i) {
        blocks.sizes.push_back(block_size_of(context, sizes[i]));
        const std::int32_t before = margins[2U * i];
        const std::int32_t after = margins[(2U * i) + 1U];
        context.require((before >= 0) && (before <= INT16_MAX) && (after >= 0) && (after <= INT16_MAX),
                        "its margins are out of range");
        blocks.margins[i + 1U] = {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after)};
        blocks.has_margins = blocks.has_margins || (before != 0) || (after != 0);
    }
    return blocks;
}

}  // namespace

void lower_space_to_depth(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const auto& options = context.options_or_defaults<format::SpaceToDepthOptions>();
    const std::uint32_t block = block_size_of(context, options.block_size());
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const Shape& shape = input.tensor->shape;
    context.require(shape.size() == kImageRank, "an input that is no image is not supported");
    context.require(((shape[1] % block) == 0U) && ((shape[2] % block) == 0U), "its blocks do not divide its input");
    require_shape(context, output, {shape[0], shape[1] / block, shape[2] / block, shape[3] * block * block});
    StridedView view = view_of(input);
    view.split(2U, block);
    view.split(1U, block);
    view.permute({0U, 1U, 3U, 2U, 4U, 5U});
    record_view(context, view, context.buffer(input), context.buffer(output));
}

void lower_depth_to_space(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const auto& options = context.options_or_defaults<format::DepthToSpaceOptions>();
    const std::uint32_t block = block_size_of(context, options.block_size());
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const Shape& shape = input.tensor->shape;
    context.require(shape.size() == kImageRank, "an input that is no image is not supported");
    context.require((block <= shape[3]) && ((shape[3] % (std::uint64_t{block} * block)) == 0U),
                    "its blocks do not divide its input");
    const std::uint32_t depth = shape[3] / block / block;
    require_shape(context, output, {shape[0], shape[1] * block, shape[2] * block, depth});
    StridedView view = view_of(input);
    view.split(3U, block * depth);
    view.split(4U, depth);
    view.permute({0U, 1U, 3U, 2U, 4U, 5U});
    record_view(context, view, context.buffer(input), context.buffer(output));
}

void lower_space_to_batch_nd(OperatorContext& context) {
    context.require_operands(3U, 3U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const Blocks blocks = blocks_of(context, input.tensor->shape);
    Shape padded = input.tensor->shape;
    Shape expected = padded;
    std::vector<std::size_t> order;
    const std::size_t axes = blocks.sizes.size();
    std::uint64_t elements = input.tensor->shape[0];
    for (std::size_t axis = 0U; axis < padded.size(); ++axis) {
        padded[axis] += blocks.margins[axis].before + blocks.margins[axis].after;
        expected[axis] = padded[axis];
    }
    for (std::size_t i = 0U; i < axes; ++i) {
        context.require((padded[i + 1U] % blocks.sizes[i]) == 0U, "its blocks do not divide its input");
        expected[i + 1U] = padded[i + 1U] / blocks.sizes[i];
        elements *= blocks.sizes[i];
        context.require(elements <= kMaxTensorBytes, "its blocks are too large");
        order.push_back(2U * (i + 1U));
    }
    expected[0] = static_cast<std::uint32_t>(elements);
    require_shape(context, output, expected);

    capture::BufferId from = context.buffer(input);
    if (blocks.has_margins) {
        from = context.add_temporary(output.tensor->size_bytes);
        record_pad(context, input, blocks.margins, zero_of(output), from);
    }
    StridedView view{padded, input.element_bytes};
    for (std::size_t i = axes; i > 0U; --i) {
        view.split(i, blocks.sizes[i - 1U]);
    }
    order.push_back(0U);
    for (std::size_t i = 0U; i < axes; ++i) {
        order.push_back((2U * i) + 1U);
    }
    for (std::size_t axis = (2U * axes) + 1U; axis < view.rank(); ++axis) {
        order.push_back(axis);
    }
    view.permute(order);
    record_view(context, view, from, context.buffer(output));
}

void lower_batch_to_space_nd(OperatorContext& context) {
    context.require_operands(3U, 3U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const Shape& shape = input.tensor->shape;
    const Blocks blocks = blocks_of(context, shape);
    const std::size_t axes = blocks.sizes.size();
    Shape whole = shape;
    StridedView view = view_of(input);
    for (std::size_t i = 0U; i < axes; ++i) {
        context.require((whole[0] % blocks.sizes[i]) == 0U, "its blocks do not divide its input");
        whole[0] /= blocks.sizes[i];
        whole[i + 1U] *= blocks.sizes[i];
        view.split(i, whole[0]);
    }
    std::vector<std::size_t> order{axes};
    for (std::size_t i = 0U; i < axes; ++i) {
        order.push_back(axes + 1U + i);
        order.push_back(i);
    }
    for (std::size_t axis = (2U * axes) + 1U; axis < view.rank(); ++axis) {
        order.push_back(axis);
    }
    view.permute(order);
    if (!blocks.has_margins) {
        require_shape(context, output, whole);
        record_view(context, view, context.buffer(input), context.buffer(output));
        return;
    }
    StridedView cropped{whole, input.element_bytes};
    Shape expected = whole;
    for (std::size_t axis = 0U; axis < whole.size(); ++axis) {
        const AxisPadding& crop = blocks.margins[axis];
        context.require((crop.before + crop.after) < whole[axis], "an empty output is not supported");
        expected[axis] = whole[axis] - crop.before - crop.after;
        cropped.slice(axis, crop.before, 1, expected[axis]);
    }
    require_shape(context, output, expected);
    const capture::BufferId joined = context.add_temporary(input.tensor->size_bytes);
    record_view(context, view, context.buffer(input), joined);
    record_view(context, cropped, joined, context.buffer(output));
}

}  // namespace pianola::tflite
