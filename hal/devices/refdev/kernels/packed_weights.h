// Packed layouts of a layer's weights: each is the fastest for the inner loops of one kind of core.
//
// A launch names the layout of its operands, WeightsLayout. The capture packs (pack_weights()), and first proves that
// the core's short form of requantisation is exact; kernels read; tools that inspect a binary recover the plain weights
// (unpack_weights()). Nothing here uses a heap.
//
// Channels are in groups of four, the last one padded with channels of zeros. A layer has one group of input channels.
// Its parameters are, per group, four biases, then four multipliers, then four shifts, 4-byte aligned.
//
// kDsp. Weights are 16 bits wide and doubled, and so are biases: one instruction then takes the rounded high half of a
// product. Per group, per four taps: taps 0 and 2 of each of the four channels, then taps 1 and 3. Taps are padded to a
// multiple of 8 with zeros. Filters are 4-byte aligned.
//
// kMve. Weights are bytes. Per pair of channels, per sixteen taps: those of the first channel, then those of the
// second. Taps are padded to a multiple of 16 with zeros. The input offset is folded: a bias is bias + input_offset *
// (sum of the channel's weights), modulo 2^32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kPackedGroup = 4U;  // channels

[[nodiscard]] constexpr std::uint64_t filled_up(std::uint64_t count, std::uint32_t unit) noexcept {
    return ((count + (unit - 1U)) / unit) * unit;
}

// Filter bytes of one output channel of a layer.
[[nodiscard]] constexpr std::uint64_t packed_row_bytes(WeightsLayout layout, std::uint64_t taps) noexcept {
    constexpr std::uint32_t kDspTaps = 8U;
    constexpr std::uint32_t kMveTaps = 16U;
    if (layout == WeightsLayout::kDsp) {
        return filled_up(taps, kDspTaps) * sizeof(std::int16_t);
    }
    return (layout == WeightsLayout::kMve) ? filled_up(taps, kMveTaps) : taps;
}

// Output channels that operands hold.
[[nodiscard]] constexpr std::uint64_t packed_channels(WeightsLayout layout, std::uint64_t channels) noexcept {
    return (layout == WeightsLayout::kPlain) ? channels : filled_up(channels, kPackedGroup);
}

// Alignment of a filter, in bytes.
[[nodiscard]] constexpr std::uint32_t filter_alignment(WeightsLayout layout) noexcept {
    return (layout == WeightsLayout::kDsp) ? static_cast<std::uint32_t>(alignof(std::uint32_t)) : 1U;
}

// A layer with a single group of input channels, and weights without a zero point.
struct LayerShape {
    std::uint32_t channels;
    std::uint32_t taps;  // of one channel
    std::int32_t input_offset;
};

// A layer's filter and channel parameters, of any alignment.
struct LayerWeights {
    const std::int8_t* filter;
    const std::int8_t* parameters;
};
struct WritableWeights {
    std::int8_t* filter;
    std::int8_t* parameters;
};

// True if the layout's kernels give the results of the plain ones for all inputs.
[[nodiscard]] bool can_pack(WeightsLayout layout, const LayerShape& shape, const LayerWeights& plain) noexcept;

// Converts plain weights to packed ones, if can_pack() permits it, and back. Each writes all bytes of its result. A
// channel whose parameters a core's loops do not accept, but whose output is the same for all inputs, is packed as its
// constant: it is unpacked with weights of 0. All others are unpacked unchanged, and unpacked weights pack to the same
// bytes.
void pack_weights(WeightsLayout layout, const LayerShape& shape, const LayerWeights& plain,
                  const WritableWeights& packed) noexcept;
void unpack_weights(WeightsLayout layout, const LayerShape& shape, const LayerWeights& packed,
                    const WritableWeights& plain) noexcept;

// Index of a weight in a packed filter.
[[nodiscard]] constexpr std::size_t packed_position(WeightsLayout layout, std::uint32_t taps, std::uint32_t channel,
                                                    std::uint32_t tap) noexcept {
    const auto row_bytes = static_cast<std::size_t>(packed_row_bytes(layout, taps));
    if (layout == WeightsLayout::kDsp) {
        constexpr std::uint32_t kPairs = 2U;
        const std::size_t half = ((std::size_t{tap} / kPackedGroup) * kPairs) + (tap % kPairs);
        const std::size_t pair = (half * kPackedGroup) + (channel % kPackedGroup);
        const std::size_t element = (pair * kPairs) + ((tap / kPairs) % kPairs);
        return ((channel / kPackedGroup) * row_bytes * kPackedGroup) + (element * sizeof(std::int16_t));
    }
    constexpr std::uint32_t kLanes = 16U;
    constexpr std::uint32_t kPair = 2U;
    return ((channel / kPair) * row_bytes * kPair) + ((std::size_t{tap} / kLanes) * kLanes * kPair) +
           (std::size_t{channel % kPair} * kLanes) + (tap % kLanes);
}

// Offset of a channel's parameter in bytes: `member` is its index in ChannelParameters.
[[nodiscard]] constexpr std::size_t packed_parameter(std::uint32_t channel, std::size_t member) noexcept {
    return ((channel / kPackedGroup) * std::size_t{kPackedGroup} * kChannelParametersBytes) + (member * kPackedGroup) +
           ((channel % kPackedGroup) * sizeof(std::int32_t));
}

}  // namespace pianola::refdev
