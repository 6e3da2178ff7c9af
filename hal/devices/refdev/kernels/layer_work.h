// Turns of the loops of the fully connected and convolution layers of int8 (inner_loops.h), on each kind of core.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/turns.h"
#include "hal/devices/refdev/kernels/work.h"

namespace pianola::refdev {

// The terms of Work::turns of these layers. Those from kInnerTerm on have a meaning for each kind of core.
inline constexpr std::uint32_t kLaunchTerm = 0U;
inline constexpr std::uint32_t kBlocksTerm = 1U;    // plain weights: blocks of channels
inline constexpr std::uint32_t kChannelsTerm = 2U;  // their channels
inline constexpr std::uint32_t kStepsTerm = 3U;     // rows that are computed together, by piece of the taps, by block
inline constexpr std::uint32_t kOutputsTerm = 4U;
inline constexpr std::uint32_t kPackedStepsTerm = 5U;  // packed weights: likewise
inline constexpr std::uint32_t kPackedOutputsTerm = 6U;
inline constexpr std::uint32_t kInnerTerm = 7U;           // sums of products: six terms
inline constexpr std::uint32_t kOwnTerm = 13U;            // of one of the layers, up to six terms
inline constexpr std::uint32_t kOnceTerm = 15U;           // with sum_once(): blocks, channels, steps, outputs
inline constexpr std::uint32_t kPackedClampedTerm = 19U;  // packed outputs whose range is not that of int8

// What the loops of the variants have in common with the functions below.
inline constexpr std::uint32_t kDspQuad = 4U;       // taps of a word
inline constexpr std::uint32_t kDspOctet = 8U;      // taps to which packed weights are padded
inline constexpr std::uint32_t kDspWideTaps = 64U;  // widened at once
inline constexpr std::uint32_t kMveLanes = 16U;     // taps of a vector
inline constexpr std::uint32_t kMveTriple = 3U;     // channels computed together

// Instructions of a turn of the loops in assembly, in the order of the sources.
inline constexpr std::uint32_t kDspEightTaps = 37U;
inline constexpr std::uint32_t kDspFourTaps = 20U;
inline constexpr std::uint32_t kDspRowFourTaps = 23U;
inline constexpr std::uint32_t kDspPackedRows = 47U;
inline constexpr std::uint32_t kDspPackedRow = 24U;
inline constexpr std::uint32_t kMveTwoByThree = 12U;
inline constexpr std::uint32_t kMveTwoByOne = 6U;
inline constexpr std::uint32_t kMveOneByThree = 11U;
inline constexpr std::uint32_t kMveOneByOne = 4U;
inline constexpr std::uint32_t kMvePackedRows = 24U;  // of both pairs of channels
inline constexpr std::uint32_t kMvePackedRow = 10U;

// Of depthwise convolutions (DepthwiseTiles).
inline constexpr std::uint32_t kDspTileColumns = 22U;
inline constexpr std::uint32_t kMveTileColumns = 10U;
inline constexpr std::uint32_t kMveTileChannels = 16U;
inline constexpr std::uint32_t kMveHalfLanes = 8U;
inline constexpr std::uint32_t kMveWordLanes = 4U;

// Equal layers, one after another: each has `rows` output pixels, or batches.
struct LayerLoops {
    std::uint64_t layers;
    std::uint32_t channels;  // of the output
    std::uint32_t rows;
    std::uint32_t taps;
    std::uint32_t piece;  // taps that are accumulated together
    bool sums_once;       // sum_once() instead of start_sums() and accumulate()
    bool is_int8;         // the range of the outputs is that of int8
};

void count_plain_layers(const LayerLoops& layers, Loops loops, Work& work) noexcept;
void count_packed_layers(const LayerLoops& layers, WeightsLayout layout, Loops loops, Work& work) noexcept;

// Blocks of channels of a layer.
[[nodiscard]] std::uint64_t plain_blocks(std::uint32_t channels) noexcept;
[[nodiscard]] std::uint64_t packed_blocks(std::uint32_t channels) noexcept;

// Turns of copy_taps() for so many bytes.
[[nodiscard]] std::uint64_t copy_turns(std::uint32_t bytes, Loops loops) noexcept;

}  // namespace pianola::refdev
