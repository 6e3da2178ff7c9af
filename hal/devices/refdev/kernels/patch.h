// Patch: the taps under a convolution's filter at one output pixel, as bytes in the order of the filter's weights.
//
// Reduces the convolution kernel to a plain sum of products. Padding, dilation and groups are resolved here: a tap
// outside the input is minus the input offset, the zero point, which counts as zero.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/window.h"
#include "hal/devices/refdev/kernels/work.h"

namespace pianola::refdev {

// Constants of all output pixels.
struct PatchGeometry {
    WindowAxis rows;
    WindowAxis columns;
    std::uint32_t input_channels;
    std::uint32_t filter_channels;
    std::uint32_t unit_columns;  // taps along a filter row that are adjacent in memory ...
    std::uint32_t unit_taps;     // ... with their channels
    std::int8_t padding;

    explicit constexpr PatchGeometry(const Conv2dArguments& a) noexcept
        : rows{a.input_height, a.filter_height, a.stride_height, a.dilation_height, a.pad_top},
          columns{a.input_width, a.filter_width, a.stride_width, a.dilation_width, a.pad_left},
          input_channels{a.input_channels},
          filter_channels{a.filter_channels},
          unit_columns{((a.dilation_width == 1U) && (a.filter_channels == a.input_channels)) ? a.filter_width : 1U},
          unit_taps{unit_columns * a.filter_channels},
          padding{static_cast<std::int8_t>(-a.input_offset)} {}
};

// Copies taps [first, first + count) of the patch of one output pixel. `input` points to the first channel of the group
// in pixel (0, 0) of the batch.
void copy_patch(const PatchGeometry& geometry, const std::int8_t* input, std::uint32_t output_row,
                std::uint32_t output_column, std::uint32_t first, std::uint32_t count, std::int8_t* taps) noexcept;

// Turns of copy_patch()'s loops for all output pixels, whose patches are copied in pieces of at most `piece` taps.
struct PatchTurns {
    std::uint64_t patches;  // pieces of them
    std::uint64_t inner_units;
    std::uint64_t border_units;  // of other patches ...
    std::uint64_t inside_units;  // ... that are not all padding; twice where a row of the filter exceeds the input
    std::uint64_t copies;
    std::uint64_t fills;  // of units that are all padding
};
[[nodiscard]] PatchTurns patch_turns(const PatchGeometry& geometry, std::uint32_t output_height,
                                     std::uint32_t output_width, std::uint32_t piece, Loops loops) noexcept;

// Turns of the loops that copy every patch of an image once, `block` bytes at a time.
struct PieceTurns {
    std::uint64_t inner_pieces;    // contiguous ones of patches that are entirely inside
    std::uint64_t whole_pieces;    // of the others, without padding
    std::uint64_t partial_pieces;  // of the others, with padding on one side or both
    std::uint64_t padding_pieces;  // of the others, without a tap inside
    std::uint64_t copied;          // words, and bytes where a piece does not end with a word
    std::uint64_t filled;          // likewise, at most
};
[[nodiscard]] PieceTurns piece_turns(const PatchGeometry& geometry, std::uint32_t output_height,
                                     std::uint32_t output_width, std::uint32_t block) noexcept;

}  // namespace pianola::refdev
