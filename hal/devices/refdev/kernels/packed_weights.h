// Packed layouts of a layer's weights: each is what the inner loops of one kind of core read fastest.
//
// Place in the whole: a launch names the layout of its operands, WeightsLayout. The capture packs (pack_weights()), and
// proves before it does that the core's short form of requantisation is exact; kernels read; tools that look at a
// binary get the plain weights back (unpack_weights()). Everything here runs without a heap.
//
// Channels come in groups of four, the last one filled up with channels of zeros. A layer has one group of input
// channels. Its parameters are, per group, four biases, then four multipliers, then four shifts, 4-byte aligned.
//
// kDsp. Weights are 16 bits wide and doubled, and so are biases: one instruction then takes the rounded high half of a
// product. Per group, per four taps: taps 0 and 2 of each of the four channels, then taps 1 and 3. Taps are filled up
// to a multiple of 8 with zeros. Filters are 4-byte aligned.
//
// kMve. Weights are bytes. Per pair of channels, per sixteen taps: those of the first channel, then those of the
// second. Taps are filled up to a multiple of 16 with zeros. The input offset is folded: a bias is
// bias + input_offset * (sum of the channel's weights), modulo 2^32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kPackedGroup = 4U;  // channels

[[nodiscard]] constexpr std::uint64_t filled_up(std::uint64_t count, std::uint32_t unit) noexcept {
    return ((count + (unit - 1U)) / unit) * unit;
}

// Of one output channel of a layer.
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

// Where a filter must begin, in bytes.
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

// True where the layout's kernels give what the plain ones do, for whatever inputs.
[[nodiscard]] bool can_pack(WeightsLayout layout, const LayerShape& shape, const LayerWeights& plain) noexcept;

// From plain weights to packed ones, where can_pack() says so, and back. Each writes all bytes of the operands that it
// makes. A channel whose parameters a core's loops do not take, and which gives the same for whatever inputs, is packed
// as its constant: it comes back with weights of 0. All others come back as they were, and what came back packs to the
// same bytes.
void pack_weights(WeightsLayout layout, const LayerShape& shape, const LayerWeights& plain,
                  const WritableWeights& packed) noexcept;
void unpack_weights(WeightsLayout layout, const LayerShape& shape, const LayerWeights& packed,
                    const WritableWeights& plain) noexcept;

// Where a weight lies in a packed filter.
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

// Of a parameter of a channel, in bytes: `member` is that of ChannelParameters.
[[nodiscard]] constexpr std::size_t packed_parameter(std::uint32_t channel, std::size_t member) noexcept {
    return ((channel / kPackedGroup) * std::size_t{kPackedGroup} * kChannelParametersBytes) + (member * kPackedGroup) +
           ((channel % kPackedGroup) * sizeof(std::int32_t));
}

}  // namespace pianola::refdev
