#include <algorithm>
#include <cstddef>
#include <numeric>

#include "capture_host/tflite/operators/folded_pad.h"
#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kPaddingsPosition = 1U;
constexpr std::size_t kPadValuePosition = 2U;

// Paddings of the operand with two numbers for each dimension. Also checks the output's shape.
std::vector<AxisPadding> axis_paddings(const OperatorContext& context, const AnyTensor& input,
                                       const AnyTensor& output) {
    context.require_same_elements(input, output);
    const Shape& shape = input.tensor->shape;
    const std::size_t rank = shape.size();
    const std::vector<std::int32_t> paddings =
        context.int32_pairs(kPaddingsPosition, "table of paddings", static_cast<std::uint32_t>(rank));
    context.require((paddings.size() == (2U * rank)) && (output.tensor->shape.size() == rank),
                    "its paddings do not fit its rank");
    std::vector<AxisPadding> result;
    for (std::size_t i = 0U; i < rank; ++i) {
        const std::int32_t before = paddings[2U * i];
        const std::int32_t after = paddings[(2U * i) + 1U];
        context.require((before >= 0) && (after >= 0), "negative paddings are not supported");
        const std::int64_t padded = std::int64_t{shape[i]} + before + after;
        context.require(padded == std::int64_t{output.tensor->shape[i]},
                        "its output size does not follow from its input");
        result.push_back({static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after)});
    }
    return result;
}

// Low byte first.
std::int32_t element_of(const Tensor& tensor) {
    constexpr std::uint32_t kByteBits = 8U;
    std::uint32_t value = 0U;
    for (std::size_t i = 0U; i < tensor.contents.size(); ++i) {
        value |= static_cast<std::uint32_t>(tensor.contents[i]) << (kByteBits * static_cast<std::uint32_t>(i));
    }
    return static_cast<std::int32_t>(value);
}

// Nothing if the convolution that reads the output pads for itself.
void pad_unless_folded(OperatorContext& context, const AnyTensor& input, const AnyTensor& output, std::int32_t value) {
    const std::vector<AxisPadding> paddings = axis_paddings(context, input, output);
    if (!folded_pad(context.model(), output.index).has_value()) {
        record_pad(context, input, paddings, value, context.buffer(output));
    }
}

// The entry of `size` for each element of a mirrored axis. `border` is 1 if the outermost one is not repeated.
std::vector<std::int32_t> mirrored(std::int32_t size, const AxisPadding& padding, std::int32_t border) {
    std::vector<std::int32_t> entries(padding.before + static_cast<std::uint32_t>(size) + padding.after);
    std::iota(entries.begin(), entries.end(), -static_cast<std::int32_t>(padding.before));
    for (std::int32_t& entry : entries) {
        if (entry < 0) {
            entry = border - 1 - entry;
        } else if (entry >= size) {
            entry = (2 * size) - 1 - border - entry;
        } else {
            // inside: itself
        }
    }
    return entries;
}

}  // namespace

// The scheme pads wider types with 0, whatever their zero points are.
std::int32_t zero_of(const AnyTensor& operand) {
    const Quantization& quantization = operand.tensor->quantization;
    return ((operand.element_bytes > 1U) || quantization.zero_points.empty()) ? 0 : quantization.zero_points.front();
}

void record_pad(OperatorContext& context, const AnyTensor& input, const std::vector<AxisPadding>& padding,
                std::int32_t value, capture::BufferId output) {
    constexpr std::size_t kRank = 4U;
    refdev::PadArguments arguments{};
    arguments.dims.fill(1U);
    arguments.element_bytes = input.element_bytes;
    arguments.value = value;
    // From the last axis on, an axis without padding is joined to the one before it.
    std::size_t axes = 0U;
    std::uint32_t inner = 1U;
    for (std::size_t i = padding.size(); i > 0U; --i) {
        const AxisPadding& axis = padding[i - 1U];
        inner *= input.tensor->shape[i - 1U];
        if ((axis.before == 0U) && (axis.after == 0U)) {
            continue;
        }
        context.require(axes < kRank, "padding of more than 4 dimensions is not supported");
        const std::uint32_t step = inner / input.tensor->shape[i - 1U];
        const std::size_t at = kRank - 1U - axes;
        arguments.dims.at(at) = inner;
        arguments.before.at(at) = axis.before * step;
        arguments.after.at(at) = axis.after * step;
        axes += 1U;
        inner = 1U;
    }
    context.require((axes < kRank) || (inner == 1U), "padding of more than 4 dimensions is not supported");
    if (axes < kRank) {
        arguments.dims.at(kRank - 1U - axes) = inner;
    }
    context.launch(refdev::KernelId::kPad, arguments, {{context.buffer(input)}, {output}});
}

void lower_pad(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    pad_unless_folded(context, input, output, zero_of(output));
}

void lower_pad_v2(OperatorContext& context) {
    context.require_operands(3U, 3U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    const AnyTensor value = context.any_input(kPadValuePosition, "padding value");
    context.require(value.tensor->is_constant, "a computed padding value is not supported; a constant is");
    context.require(value.tensor->elements == 1U, "more than one padding value is not supported");
    context.require((value.tensor->type == output.tensor->type) &&
                        (value.tensor->quantization.scales == output.tensor->quantization.scales) &&
                        (value.tensor->quantization.zero_points == output.tensor->quantization.zero_points),
                    "different quantisation of padding value and output is not supported");
    pad_unless_folded(context, input, output, element_of(*value.tensor));
}

void lower_mirror_pad(OperatorContext& context) {
    constexpr std::int8_t kReflect = 0;
    constexpr std::int8_t kSymmetric = 1;
    context.require_operands(2U, 2U);
    const std::int8_t mode = context.options_or_defaults<format::MirrorPadOptions>().mode();
    context.require((mode == kReflect) || (mode == kSymmetric), "its mode is not supported");
    const std::int32_t border = (mode == kReflect) ? 1 : 0;
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    const std::vector<AxisPadding> paddings = axis_paddings(context, input, output);
    AxisIndices indices;
    for (std::size_t axis = 0U; axis < paddings.size(); ++axis) {
        const AxisPadding& padding = paddings[axis];
        const auto size = static_cast<std::int32_t>(input.tensor->shape[axis]);
        const auto widest = static_cast<std::int32_t>(std::max(padding.before, padding.after));
        context.require(widest <= (size - border), "a padding that mirrors more than its input is not supported");
        require_indices(context, std::uint64_t{input.tensor->shape[axis]} + padding.before + padding.after);
        indices.push_back((widest == 0) ? std::vector<std::int32_t>{} : mirrored(size, padding, border));
    }
    record_takes(context, input, indices, context.buffer(output));
}

}  // namespace pianola::tflite
