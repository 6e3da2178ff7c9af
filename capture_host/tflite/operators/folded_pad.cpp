#include "capture_host/tflite/operators/folded_pad.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "capture_host/operators/window.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "pianola/bytes.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kPadInput = 0U;
constexpr std::size_t kPadTable = 1U;
constexpr std::size_t kPadValue = 2U;
constexpr std::size_t kFilter = 1U;

// nullptr if there is no such operand, or if its tensor cannot be used.
const Tensor* usable_operand(const Model& model, const Operator& op, std::size_t position) {
    if (position >= op.inputs.size()) {
        return nullptr;
    }
    const auto index = static_cast<std::uint32_t>(op.inputs[position]);
    const bool is_there = (index < model.tensors.size()) && model.tensors[index].defect.empty();
    return is_there ? &model.tensors[index] : nullptr;
}

// nullptr if it is a constant or an input of the graph.
const Operator* writer_of(const Model& model, std::int32_t tensor) {
    for (const Operator& op : model.operators) {
        if (std::find(op.outputs.begin(), op.outputs.end(), tensor) != op.outputs.end()) {
            return &op;
        }
    }
    return nullptr;
}

// nullptr if there are several, or if the tensor is an output of the graph.
const Operator* only_reader_of(const Model& model, std::uint32_t tensor) {
    const Operator* reader = nullptr;
    std::ptrdiff_t operands = std::count(model.outputs.begin(), model.outputs.end(), tensor);
    for (const Operator& op : model.operators) {
        const std::ptrdiff_t here = std::count(op.inputs.begin(), op.inputs.end(), static_cast<std::int32_t>(tensor));
        operands += here;
        reader = (here == 0) ? reader : &op;
    }
    return (operands == 1) ? reader : nullptr;
}

// Whether the padding is the element that represents 0. That of PAD is, by the scheme.
bool pads_with_zero(const Model& model, const Operator& pad, const Tensor& output) {
    if (pad.code == format::BuiltinOperator_PAD) {
        return true;
    }
    const Tensor* const value = usable_operand(model, pad, kPadValue);
    if ((pad.code != format::BuiltinOperator_PADV2) || (value == nullptr) || !value->is_constant ||
        (value->elements != 1U) || output.quantization.zero_points.empty()) {
        return false;
    }
    constexpr std::uint32_t kByteBits = 8U;
    auto rest = static_cast<std::uint32_t>(output.quantization.zero_points.front());
    return std::all_of(value->contents.begin(), value->contents.end(), [&rest](std::uint8_t byte) {
        const bool is_equal = (rest & UINT8_MAX) == byte;
        rest >>= kByteBits;
        return is_equal;
    });
}

// The paddings of batches, height, width and channels; nullopt if the table does not have them.
std::optional<std::array<AxisPadding, kImageRank>> image_paddings(const Tensor& table) {
    if (!table.is_constant || (table.type != kTypeInt32) || (table.elements != (2U * kImageRank))) {
        return std::nullopt;
    }
    std::array<AxisPadding, kImageRank> paddings{};
    for (std::size_t axis = 0U; axis < kImageRank; ++axis) {
        constexpr std::size_t kWord = sizeof(std::int32_t);
        paddings.at(axis).before = load_le32(table.contents, 2U * axis * kWord);
        paddings.at(axis).after = load_le32(table.contents, ((2U * axis) + 1U) * kWord);
    }
    return paddings;
}

bool is_none(const AxisPadding& padding) {
    return (padding.before == 0U) && (padding.after == 0U);
}

bool is_axis_padded(std::uint32_t input, const AxisPadding& padding, std::uint32_t output) {
    return (std::uint64_t{input} + padding.before + padding.after) == output;
}

// The filter and its dilation along one axis.
struct FilterAxis {
    std::uint32_t size{0U};
    std::int32_t dilation{0};
};

// Whether the padding can be added to that of the convolution itself, which is at most half of the filter's reach.
bool fits_kernel(const AxisPadding& padding, const FilterAxis& filter) {
    const bool is_in_range = (filter.size >= 1U) && (filter.size <= refdev::kMaxSpatial) && (filter.dilation >= 1) &&
                             (filter.dilation <= static_cast<std::int32_t>(refdev::kMaxSpatial));
    return is_in_range &&
           ((padding.before + (operators::window_reach(filter.size, static_cast<std::uint64_t>(filter.dilation)) /
                               2U)) <= refdev::kMaxSpatial);
}

template <typename Options>
bool options_fit(const Options* options, const Tensor& filter, const FoldedPad& pad) {
    return (options != nullptr) && fits_kernel(pad.height, {filter.shape[1], options->dilation_h_factor()}) &&
           fits_kernel(pad.width, {filter.shape[2], options->dilation_w_factor()});
}

// Whether `op` is a convolution whose kernel can take the padding.
bool takes_padding(const Model& model, const Operator& op, const FoldedPad& pad) {
    const Tensor* const filter = usable_operand(model, op, kFilter);
    if ((filter == nullptr) || (filter->shape.size() != kImageRank)) {
        return false;
    }
    if (op.code == format::BuiltinOperator_CONV_2D) {
        return options_fit(op.stored->builtin_options_as_Conv2DOptions(), *filter, pad);
    }
    return (op.code == format::BuiltinOperator_DEPTHWISE_CONV_2D) &&
           options_fit(op.stored->builtin_options_as_DepthwiseConv2DOptions(), *filter, pad);
}

// What the PAD does to its input; nullopt if it pads more than height and width, or with another element.
std::optional<FoldedPad> image_pad(const Model& model, const Operator& pad, const Tensor& output) {
    const Tensor* const input = usable_operand(model, pad, kPadInput);
    const Tensor* const table = usable_operand(model, pad, kPadTable);
    if ((input == nullptr) || (table == nullptr) || (input->shape.size() != kImageRank) ||
        (output.shape.size() != kImageRank) || !pads_with_zero(model, pad, output)) {
        return std::nullopt;
    }
    const std::optional<std::array<AxisPadding, kImageRank>> paddings = image_paddings(*table);
    if (!paddings.has_value()) {
        return std::nullopt;
    }
    const auto& [batches, height, width, channels] = *paddings;
    if (!is_none(batches) || !is_none(channels) || !is_axis_padded(input->shape[1], height, output.shape[1]) ||
        !is_axis_padded(input->shape[2], width, output.shape[2])) {
        return std::nullopt;
    }
    return FoldedPad{static_cast<std::uint32_t>(pad.inputs[kPadInput]), height, width};
}

}  // namespace

std::optional<FoldedPad> folded_pad(const Model& model, std::uint32_t tensor) {
    const Operator* const pad = writer_of(model, static_cast<std::int32_t>(tensor));
    const Operator* const reader = only_reader_of(model, tensor);
    if ((pad == nullptr) || (reader == nullptr) || (reader->inputs.front() != static_cast<std::int32_t>(tensor))) {
        return std::nullopt;
    }
    const std::optional<FoldedPad> found = image_pad(model, *pad, model.tensors[tensor]);
    return (found.has_value() && takes_padding(model, *reader, *found)) ? found : std::nullopt;
}

}  // namespace pianola::tflite
