#include "capture_host/decompile/packed_forms.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/kernels/packed_weights.h"

namespace pianola::decompile {
namespace {

using refdev::KernelId;
using refdev::LayerShape;
using refdev::WeightsLayout;
using Bytes = std::vector<std::int8_t>;

constexpr std::size_t kFilter = 1U;
constexpr std::size_t kTable = 2U;

struct Layer {
    LayerShape shape{};
    std::size_t layout_word{0U};
};

std::optional<Layer> layer_of(const Computation& plain) {
    const WordSpan words{plain.words.data(), plain.words.size()};
    if (plain.kernel == static_cast<std::uint32_t>(KernelId::kFullyConnected)) {
        const auto a = refdev::arguments_from_words<refdev::FullyConnectedArguments>(words);
        if (a.filter_offset == 0) {
            return Layer{{a.output_depth, a.input_depth, a.input_offset},
                         refdev::word_of(offsetof(refdev::FullyConnectedArguments, weights_layout))};
        }
    }
    if (plain.kernel == static_cast<std::uint32_t>(KernelId::kConv2d)) {
        const auto a = refdev::arguments_from_words<refdev::Conv2dArguments>(words);
        if (a.filter_channels == a.input_channels) {
            return Layer{{a.output_channels, a.filter_height * a.filter_width * a.filter_channels, a.input_offset},
                         refdev::word_of(offsetof(refdev::Conv2dArguments, weights_layout))};
        }
    }
    return std::nullopt;
}

bool is_constant(const Tokens& tokens) {
    return std::all_of(tokens.begin(), tokens.end(), [](Token token) { return token < kUndefined; });
}

Bytes bytes_of(const Tokens& tokens) {
    Bytes bytes;
    for (const Token token : tokens) {
        bytes.push_back(static_cast<std::int8_t>(static_cast<std::uint8_t>(token)));
    }
    return bytes;
}

Tokens tokens_of_packed(const Bytes& bytes) {
    Tokens tokens;
    for (const std::int8_t byte : bytes) {
        tokens.push_back(static_cast<std::uint8_t>(byte));
    }
    return tokens;
}

}  // namespace

std::vector<Computation> packed_forms(const Computation& plain) {
    std::vector<Computation> forms;
    const std::optional<Layer> layer = layer_of(plain);
    if (!layer.has_value() || !is_constant(plain.operands[kFilter]) || !is_constant(plain.operands[kTable])) {
        return forms;
    }
    const LayerShape& shape = layer->shape;
    const Bytes filter = bytes_of(plain.operands[kFilter]);
    const Bytes table = bytes_of(plain.operands[kTable]);
    for (const WeightsLayout layout : {WeightsLayout::kDsp, WeightsLayout::kMve}) {
        if (!can_pack(layout, shape, {filter.data(), table.data()})) {
            continue;
        }
        const std::uint64_t channels = packed_channels(layout, shape.channels);
        Bytes packed_filter(channels * packed_row_bytes(layout, shape.taps));
        Bytes packed_table(channels * refdev::kChannelParametersBytes);
        pack_weights(layout, shape, {filter.data(), table.data()}, {packed_filter.data(), packed_table.data()});
        Computation form = plain;
        form.words.at(layer->layout_word) = static_cast<std::uint32_t>(layout);
        form.operands[kFilter] = tokens_of_packed(packed_filter);
        form.operands[kTable] = tokens_of_packed(packed_table);
        forms.push_back(form);
    }
    return forms;
}

}  // namespace pianola::decompile
