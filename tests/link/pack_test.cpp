// Which layers the linker packs, and what becomes of their constants.
#include "capture_host/capture/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "capture_host/capture/link.h"
#include "hal/devices/refdev/host/command_words.h"

namespace pianola::capture {
namespace {

using refdev::ChannelParameters;
using refdev::WeightsLayout;

constexpr std::uint32_t kTaps = 9U;
constexpr std::uint32_t kChannels = 5U;
constexpr ChannelParameters kUsual{100, 1 << 30, -7};

std::vector<std::uint8_t> weights() {
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t i = 0U; i < (kTaps * kChannels); ++i) {
        bytes.push_back(static_cast<std::uint8_t>((i * 37U) + 1U));
    }
    return bytes;
}

std::vector<std::uint8_t> table(const ChannelParameters& last) {
    std::vector<ChannelParameters> channels(kChannels, kUsual);
    channels.back() = last;
    std::vector<std::uint8_t> bytes(kChannels * sizeof(ChannelParameters));
    std::memcpy(bytes.data(), channels.data(), bytes.size());
    return bytes;
}

struct Layer {
    Recorder recorder;
    BufferId filter{};
    BufferId parameters{};
};

template <typename Arguments>
Launch launch_of(refdev::KernelId kernel, const Arguments& arguments, const Layer& layer, BufferId from, BufferId to) {
    Launch launch;
    launch.label = "layer";
    launch.kernel = kernel;
    launch.arguments = refdev::to_words(arguments);
    launch.operands = {{refdev::word_of(offsetof(Arguments, input)), from, 0U, Access::kRead},
                       {refdev::word_of(offsetof(Arguments, filter)), layer.filter, 0U, Access::kRead},
                       {refdev::word_of(offsetof(Arguments, channel_parameters)), layer.parameters, 0U, Access::kRead},
                       {refdev::word_of(offsetof(Arguments, output)), to, 0U, Access::kWrite}};
    return launch;
}

Layer fully_connected(const ChannelParameters& last, std::int32_t filter_offset = 0) {
    Layer layer;
    layer.filter = layer.recorder.add_constant("filter", weights());
    layer.parameters = layer.recorder.add_constant("parameters", table(last));
    const BufferId from = layer.recorder.add_activation("from", kTaps);
    const BufferId to = layer.recorder.add_activation("to", kChannels);
    refdev::FullyConnectedArguments arguments{};
    arguments.batches = 1U;
    arguments.input_depth = kTaps;
    arguments.output_depth = kChannels;
    arguments.filter_offset = filter_offset;
    arguments.activation_min = -128;
    arguments.activation_max = 127;
    layer.recorder.launch(launch_of(refdev::KernelId::kFullyConnected, arguments, layer, from, to));
    return layer;
}

std::uint32_t layout_of(const Recorder& recorder) {
    return recorder.launches().front().arguments.at(
        refdev::word_of(offsetof(refdev::FullyConnectedArguments, weights_layout)));
}

TEST(Pack, ALayerNamesItsLayoutAndItsPlainConstantsAreGone) {
    for (const auto& [layout, filter_bytes] :
         {std::pair{WeightsLayout::kDsp, 8U * 16U * 2U}, std::pair{WeightsLayout::kMve, 8U * 16U}}) {
        Layer layer = fully_connected(kUsual);
        EXPECT_EQ(pack_layers(layout, layer.recorder), 1U);
        EXPECT_EQ(layout_of(layer.recorder), static_cast<std::uint32_t>(layout));
        EXPECT_TRUE(layer.recorder.buffer(layer.filter).contents.empty());
        EXPECT_TRUE(layer.recorder.buffer(layer.parameters).contents.empty());
        const std::vector<Operand>& operands = layer.recorder.launches().front().operands;
        EXPECT_EQ(layer.recorder.buffer(operands.at(1).buffer).contents.size(), filter_bytes);
        EXPECT_EQ(layer.recorder.buffer(operands.at(2).buffer).contents.size(), 8U * sizeof(ChannelParameters));
    }
}

TEST(Pack, PortableChangesNothing) {
    Layer layer = fully_connected(kUsual);
    EXPECT_EQ(pack_layers(WeightsLayout::kPlain, layer.recorder), 0U);
    EXPECT_EQ(layer.recorder.buffer(layer.filter).contents, weights());
}

// Each of these would give other results somewhere, or cannot be told.
TEST(Pack, WhatIsNotProvedStaysPlain) {
    const std::vector<std::pair<ChannelParameters, std::int32_t>> cases{
        {{0, 1 << 30, 0}, 0},                         // no shift: the sign must not count
        {{0, 1 << 30, 3}, 0},                         // to the left
        {{0, -1, -7}, 0},                             // a negative multiplier
        {{(1 << 30) + (1 << 22), 1 << 30, -22}, 0},   // too large a sum, half-way between two outputs
        {{-(1 << 30) - (1 << 22), 1 << 30, -22}, 0},  //
        {{0, 1 << 30, -7}, 5},                        // a zero point of the weights
    };
    for (const auto& [last, filter_offset] : cases) {
        Layer layer = fully_connected(last, filter_offset);
        EXPECT_EQ(pack_layers(WeightsLayout::kDsp, layer.recorder), 0U) << last.bias << " " << last.shift;
        EXPECT_EQ(layout_of(layer.recorder), 0U);
        EXPECT_EQ(layer.recorder.buffer(layer.filter).contents, weights());
    }
}

TEST(Pack, AChannelThatIsConstantIsPackedAsThat) {
    for (const ChannelParameters& last :
         {ChannelParameters{(1 << 30) + (1 << 29), 1 << 30, -30}, ChannelParameters{7, 0, 0}}) {
        Layer layer = fully_connected(last);
        EXPECT_EQ(pack_layers(WeightsLayout::kDsp, layer.recorder), 1U);
    }
}

// What computes reads the constants; another launch that reads the plain ones keeps them.
TEST(Pack, ConstantsThatOthersReadStay) {
    Layer layer = fully_connected(kUsual);
    layer.recorder.copy("copy", layer.recorder.add_activation("more", kTaps * kChannels), layer.filter,
                        kTaps * kChannels);
    EXPECT_EQ(pack_layers(WeightsLayout::kMve, layer.recorder), 1U);
    EXPECT_EQ(layer.recorder.buffer(layer.filter).contents, weights());
    EXPECT_TRUE(layer.recorder.buffer(layer.parameters).contents.empty());
}

// What state holds at first is read by the trace that resets it, and by nothing else.
TEST(Pack, TheFirstContentsOfStateStay) {
    Layer layer = fully_connected(kUsual);
    static_cast<void>(layer.recorder.add_state("state", {1U, 2U, 3U}));
    EXPECT_EQ(pack_layers(WeightsLayout::kDsp, layer.recorder), 1U);
    const std::vector<Launch>& resets = layer.recorder.resets();
    ASSERT_EQ(resets.size(), 1U);
    const bool is_kept = std::any_of(resets[0].operands.begin(), resets[0].operands.end(), [&](const Operand& operand) {
        return layer.recorder.buffer(operand.buffer).contents == std::vector<std::uint8_t>{1U, 2U, 3U};
    });
    EXPECT_TRUE(is_kept);
}

}  // namespace
}  // namespace pianola::capture
