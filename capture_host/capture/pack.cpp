#include "capture_host/capture/pack.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "hal/devices/refdev/kernels/device_memory.h"

namespace pianola::capture {
namespace {

using refdev::LayerShape;
using refdev::WeightsLayout;

template <typename Arguments>
Arguments arguments_of(const Launch& launch) {
    Arguments arguments{};
    std::memcpy(&arguments, launch.arguments.data(), sizeof(arguments));
    return arguments;
}

// A layer's operands for the kernel; empty if no packed layout supports it.
struct Layer {
    LayerShape shape;
    std::uint32_t filter_word;
    std::uint32_t parameters_word;
    std::uint32_t layout_word;
};

template <typename Arguments>
Layer layer_of(std::uint32_t channels, std::uint32_t taps, std::int32_t input_offset) {
    return {{channels, taps, input_offset},
            refdev::word_of(offsetof(Arguments, filter)),
            refdev::word_of(offsetof(Arguments, channel_parameters)),
            refdev::word_of(offsetof(Arguments, weights_layout))};
}

std::optional<Layer> layer_of(const Launch& launch) {
    if (launch.kernel == refdev::KernelId::kFullyConnected) {
        const auto a = arguments_of<refdev::FullyConnectedArguments>(launch);
        if (a.filter_offset == 0) {
            return layer_of<refdev::FullyConnectedArguments>(a.output_depth, a.input_depth, a.input_offset);
        }
    } else if (launch.kernel == refdev::KernelId::kConv2d) {
        const auto a = arguments_of<refdev::Conv2dArguments>(launch);
        if (a.filter_channels == a.input_channels) {
            return layer_of<refdev::Conv2dArguments>(
                a.output_channels, a.filter_height * a.filter_width * a.filter_channels, a.input_offset);
        }
    } else {
        return std::nullopt;
    }
    return std::nullopt;
}

// The operand whose address a word holds, if it is a whole constant.
Operand* constant_operand(const Recorder& recorder, Launch& launch, std::uint32_t word, std::size_t size_bytes) {
    const auto found = std::find_if(launch.operands.begin(), launch.operands.end(),
                                    [word](const Operand& operand) { return operand.word == word; });
    if ((found == launch.operands.end()) || (found->offset_bytes != 0U)) {
        return nullptr;
    }
    const Buffer& buffer = recorder.buffer(found->buffer);
    return ((buffer.role == BufferRole::kConstant) && (buffer.contents.size() == size_bytes)) ? &*found : nullptr;
}

bool pack_layer(WeightsLayout layout, Recorder& recorder, Launch& launch) {
    const std::optional<Layer> layer = layer_of(launch);
    if (!layer.has_value()) {
        return false;
    }
    const LayerShape& shape = layer->shape;
    Operand* const filter =
        constant_operand(recorder, launch, layer->filter_word, std::size_t{shape.channels} * shape.taps);
    Operand* const parameters = constant_operand(recorder, launch, layer->parameters_word,
                                                 std::size_t{shape.channels} * refdev::kChannelParametersBytes);
    if ((filter == nullptr) || (parameters == nullptr)) {
        return false;
    }
    const Buffer plain_filter = recorder.buffer(filter->buffer);
    const Buffer plain_parameters = recorder.buffer(parameters->buffer);
    const refdev::LayerWeights plain{refdev::tensor_of(plain_filter.contents.data()),
                                     refdev::tensor_of(plain_parameters.contents.data())};
    if (!can_pack(layout, shape, plain)) {
        return false;
    }
    const std::uint64_t channels = packed_channels(layout, shape.channels);
    std::vector<std::uint8_t> packed_filter(channels * packed_row_bytes(layout, shape.taps));
    std::vector<std::uint8_t> packed_table(channels * refdev::kChannelParametersBytes);
    pack_weights(layout, shape, plain,
                 {refdev::tensor_of(packed_filter.data()), refdev::tensor_of(packed_table.data())});
    filter->buffer = recorder.add_constant(plain_filter.name, std::move(packed_filter));
    parameters->buffer = recorder.add_constant(plain_parameters.name, std::move(packed_table));
    launch.arguments.at(layer->layout_word) = static_cast<std::uint32_t>(layout);
    return true;
}

}  // namespace

std::uint32_t pack_layers(WeightsLayout layout, Recorder& recorder) {
    if (layout == WeightsLayout::kPlain) {
        return 0U;
    }
    std::uint32_t packed = 0U;
    recorder.rewrite_launches([&](Launch& launch) { packed += pack_layer(layout, recorder, launch) ? 1U : 0U; });
    recorder.empty_unused_constants();
    return packed;
}

}  // namespace pianola::capture
