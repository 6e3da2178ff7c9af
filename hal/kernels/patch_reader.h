// PatchReader: the taps under a convolution's filter, as one stream in the order of the filter's weights.
//
// Place in the whole: lets the convolution kernel be a plain sum of products. Padding, dilation and groups end here: a
// tap outside the input reads as 0, every other as its value plus the input offset.
#pragma once

#include <cstdint>

#include "hal/kernels/arguments.h"
#include "hal/kernels/dot_product.h"
#include "hal/kernels/window.h"

namespace pianola::refdev {

// What does not change from one output pixel to the next.
struct PatchGeometry {
    WindowAxis rows;
    WindowAxis columns;
    std::uint32_t input_channels;
    std::uint32_t filter_channels;
    std::int32_t input_offset;

    explicit constexpr PatchGeometry(const Conv2dArguments& a) noexcept
        : rows{a.input_height, a.filter_height, a.stride_height, a.dilation_height, a.pad_top},
          columns{a.input_width, a.filter_width, a.stride_width, a.dilation_width, a.pad_left},
          input_channels{a.input_channels},
          filter_channels{a.filter_channels},
          input_offset{a.input_offset} {}

    // True where the taps of a filter row are neighbours in memory.
    [[nodiscard]] constexpr bool rows_contiguous() const noexcept {
        return (columns.dilation == 1U) && (filter_channels == input_channels);
    }
};

class PatchReader {
  public:
    // `input` shows the first channel of the group in pixel (0, 0) of the batch.
    PatchReader(const PatchGeometry& geometry, const std::int8_t* input, std::uint32_t output_row,
                std::uint32_t output_column) noexcept;

    // Fills as much of `taps` as there is left; returns how many taps that is. 0: the patch has been read.
    [[nodiscard]] std::uint32_t read(TapBuffer& taps) noexcept;

  private:
    // A unit is the longest piece that is contiguous in memory: a filter row, or a single tap's channels.
    void enter_unit() noexcept;
    void next_unit() noexcept;

    const PatchGeometry& geometry_;
    const std::int8_t* input_;
    std::int32_t row_origin_;
    std::int32_t column_origin_;
    TapRange rows_inside_;
    TapRange columns_inside_;
    std::uint32_t unit_columns_;      // taps of a unit along the row
    std::uint32_t row_{0U};           // filter row of the unit
    std::uint32_t column_{0U};        // filter column of its first tap
    std::uint32_t position_{0U};      // elements of the unit that have been read
    std::uint32_t length_{0U};        // elements of the unit
    std::uint32_t inside_first_{0U};  // elements [inside_first_, inside_end_) of the unit are inside the input ...
    std::uint32_t inside_end_{0U};
    const std::int8_t* inside_{nullptr};  // ... and lie here
};

}  // namespace pianola::refdev
