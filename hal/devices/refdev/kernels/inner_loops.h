// The inner loops of the quantised layers, which differ from core to core.
//
// The fully connected and convolution kernels check, bind and traverse their operands in common code, and call these
// functions for sums of products and for storing them. Each folder below this one is a variant with the same results
// for one kind of core: portable (any core), dsp (Arm's 16-bit SIMD instructions), mve (Arm's vector extension) and x86
// (hosts). A build links one of them, PIANOLA_KERNELS, which the toolchain file of the core sets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/packed_weights.h"
#include "hal/devices/refdev/kernels/requantisation.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kTapBlock = 160U;     // taps of a patch that are copied together
inline constexpr std::uint32_t kChannelBlock = 16U;  // output channels whose sums are computed together
inline constexpr std::uint32_t kRowBlock = 2U;       // output pixels, or batches, likewise

// Channels for which a variant's short form of requantisation is exact. Multipliers are never negative.
struct ShortForm {
    std::int32_t lowest_shift;
    std::int32_t highest_shift;
    std::uint64_t sums;  // sums, including the bias, are smaller in magnitude
};
extern const ShortForm kShortForm;

using ChannelSums = std::array<std::int32_t, kChannelBlock>;
using BlockSums = std::array<ChannelSums, kRowBlock>;

// The multiplicands of the weights: one or two rows of `taps` bytes. A tap counts as its value plus the offset; one
// outside the input is minus the offset.
struct TapRows {
    const std::int8_t* first;
    const std::int8_t* second;  // not read if there is one row
    std::uint32_t rows;
    std::uint32_t taps;
    std::int32_t offset;
};

// The weights of 1 to kChannelBlock output channels; consecutive channels' weights are `stride` apart.
struct FilterRows {
    const std::int8_t* weights;
    std::size_t stride;
    std::uint32_t channels;
};

// Window of a depthwise convolution with one output channel for each input channel: the taps inside the input.
struct DepthwiseWindow {
    const std::int8_t* input;    // channel 0 of the first tap
    const std::int8_t* weights;  // likewise
    std::uint32_t rows;
    std::uint32_t columns;
    std::size_t input_row;  // from a tap to that of the next row, in bytes
    std::size_t input_column;
    std::size_t weight_row;
    std::size_t weight_column;
    std::int32_t offset;
};

// Initialises the sums of a block; accumulate() then receives every row of `taps` taps, in one piece or several.
// `parameters` begins at the ChannelParameters of the block's first channel, here and below.
void start_sums(const FilterRows& filter, std::uint32_t taps, std::int32_t offset, const std::int8_t* parameters,
                ChannelSums& sums) noexcept;

// Adds the products of the rows' taps and the filter's weights, modulo 2^32. The filter begins at the weights of the
// rows' first tap.
void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept;

// start_sums() and accumulate() for weights that are used once: a single row, all of its taps.
void sum_once(const TapRows& rows, const FilterRows& filter, const std::int8_t* parameters, ChannelSums& sums) noexcept;

// The sum of `count` taps, without an offset.
[[nodiscard]] std::int32_t sum_taps(const std::int8_t* taps, std::uint32_t count) noexcept;

// Adds a value to the sums of the first `channels` channels, modulo 2^32.
void add_to_sums(ChannelSums& sums, std::uint32_t channels, std::int32_t value) noexcept;

// Scales, clamps and stores the sums of 1 to kRowBlock rows with outputs `stride` apart.
struct OutputRows {
    std::int8_t* first;
    std::size_t stride;
    std::uint32_t rows;
};
void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, const OutputRows& output) noexcept;

// All channels of one output pixel of a depthwise convolution.
void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept;

// The output channels that share an input channel, of one output pixel: the window begins at that input channel, and at
// the weights of the first of these channels, which are adjacent.
void depthwise_shared(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept;

// Tiles of a depthwise convolution: a filter of 3 x 3 taps, without strides and dilation, one output channel for each
// input channel. Their short form is exact for shifts below 0 alone. A tile is some columns of two output rows of a
// group of channels; its taps are first reordered for the core.
struct DepthwiseTiles {
    std::uint32_t channels;  // of a group; 0: the variant has no tiles
    std::uint32_t columns;   // at most
};
extern const DepthwiseTiles kDepthwiseTiles;
inline constexpr std::uint32_t kTileRows = 4U;  // of the input

// The weights and parameters of a group in the variant's layout. The parameters begin at its first channel's; the
// weights of consecutive taps are `stride` bytes apart.
struct DepthwiseGroup {
    std::array<std::int32_t, 120> words;
};

struct DepthwiseTile {
    std::array<const std::int8_t*, kTileRows> rows;  // the group in column 0 of the input rows; nullptr: outside
    std::int32_t first;                              // input column of the tile's first; may be outside
    std::uint32_t input_columns;                     // that there are
    std::size_t column_bytes;                        // from a column to the next, of input and output
    std::int32_t offset;
    std::uint32_t channels;  // of the group
    std::uint32_t columns;   // of the output
    std::int8_t* upper;      // output
    std::int8_t* lower;      // nullptr if there is no second row
};
void prepare_depthwise(const std::int8_t* weights, std::size_t stride, const std::int8_t* parameters,
                       const Requantisation& requantisation, const DepthwiseTile& tile, DepthwiseGroup& group) noexcept;
void depthwise_tile(const DepthwiseTile& tile, const DepthwiseGroup& group,
                    const Requantisation& requantisation) noexcept;

// Packed weights (packed_weights.h). A launch with a layout that a variant does not read is refused when it is checked.
inline constexpr std::uint32_t kPackedRows = 3U;       // maximum output pixels, or batches, computed together
inline constexpr std::uint32_t kPackedTaps = 288U;     // of a patch, copied together
inline constexpr std::uint32_t kPackedChannels = 64U;  // whose sums are kept together; whole groups
using PackedSums =
    std::array<std::int32_t, std::size_t{kPackedRows} * kPackedChannels>;  // per group, per row: four channels

struct PackedLoops {
    std::uint32_t layouts;  // bit i: of WeightsLayout i; plain weights are always read
    std::uint32_t rows;     // pixels that the core computes together
};
extern const PackedLoops kPackedLoops;

// Some channels of a layer, in whole groups except at the layer's end.
struct PackedBlock {
    WeightsLayout layout;
    const std::int8_t* weights;
    const std::int8_t* parameters;
    std::uint32_t channels;
    std::uint32_t taps;  // of the whole layer
    std::int32_t offset;
};
// Taps [first, first + count) of 1 to kPackedLoops.rows rows; missing rows repeat the last one. `first` is a multiple
// of kPackedTaps.
struct PackedTaps {
    std::array<const std::int8_t*, kPackedRows> rows;  // the first of these taps
    std::uint32_t used;
    std::uint32_t first;
    std::uint32_t count;
};
// Adds the products of these taps to the sums; the first taps initialise the sums.
void accumulate_packed(const PackedBlock& block, const PackedTaps& taps, PackedSums& sums) noexcept;
void store_packed(const PackedBlock& block, const PackedSums& sums, const Requantisation& requantisation,
                  const OutputRows& output) noexcept;

// Parameters shared by all elements of an addition.
struct AddPlan {
    ScaledTerm term1;
    ScaledTerm term2;
    Scale output_scale;
    OutputRange range;

    explicit AddPlan(const AddArguments& a) noexcept
        : term1{a.input1_offset, a.left_shift, Scale{a.input1_multiplier, a.input1_shift}},
          term2{a.input2_offset, a.left_shift, Scale{a.input2_multiplier, a.input2_shift}},
          output_scale{a.output_multiplier, a.output_shift},
          range{a.output_offset, a.activation_min, a.activation_max} {}

    [[nodiscard]] std::int8_t element(std::int32_t input1, std::int32_t input2) const noexcept {
        return range.place(output_scale.apply(wrapping_add(term1.value(input1), term2.value(input2))));
    }
};

inline constexpr std::uint32_t kAddLanes = 4U;  // that a variant with vectors adds together

// Element by element; the output is disjoint from each input, or in place of it. Scales shift to the right.
void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                  std::uint32_t count) noexcept;

// Copies `count` bytes to a disjoint place; stores `value` `count` times. Implemented here, because the C library's
// functions take hundreds of instructions on some cores.
void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept;
void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept;

}  // namespace pianola::refdev
