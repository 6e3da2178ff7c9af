#include "hal/kernels/patch_reader.h"

namespace pianola::refdev {

PatchReader::PatchReader(const PatchGeometry& geometry, const std::int8_t* input, std::uint32_t output_row,
                         std::uint32_t output_column) noexcept
    : geometry_{geometry},
      input_{input},
      row_origin_{geometry.rows.origin(output_row)},
      column_origin_{geometry.columns.origin(output_column)},
      rows_inside_{taps_inside(geometry.rows, row_origin_)},
      columns_inside_{taps_inside(geometry.columns, column_origin_)},
      unit_columns_{geometry.rows_contiguous() ? geometry.columns.filter_size : 1U},
      length_{unit_columns_ * geometry.filter_channels} {
    enter_unit();
}

void PatchReader::enter_unit() noexcept {
    position_ = 0U;
    inside_first_ = 0U;
    inside_end_ = 0U;
    const std::uint32_t unit_end = column_ + unit_columns_;
    const std::uint32_t first = (columns_inside_.first > column_) ? columns_inside_.first : column_;
    const std::uint32_t end = smaller_count(columns_inside_.end, unit_end);
    if ((row_ < rows_inside_.first) || (row_ >= rows_inside_.end) || (first >= end)) {
        return;
    }
    inside_first_ = (first - column_) * geometry_.filter_channels;
    inside_end_ = (end - column_) * geometry_.filter_channels;
    // Not negative: these taps are inside the input.
    const std::uint32_t input_row = static_cast<std::uint32_t>(row_origin_) + (row_ * geometry_.rows.dilation);
    const std::uint32_t input_column =
        static_cast<std::uint32_t>(column_origin_) + (first * geometry_.columns.dilation);
    const std::size_t pixel = (static_cast<std::size_t>(input_row) * geometry_.columns.input_size) + input_column;
    inside_ = input_ + (pixel * geometry_.input_channels);
}

void PatchReader::next_unit() noexcept {
    column_ += unit_columns_;
    if (column_ == geometry_.columns.filter_size) {
        column_ = 0U;
        row_ += 1U;
    }
    enter_unit();
}

std::uint32_t PatchReader::read(TapBuffer& taps) noexcept {
    std::uint32_t filled = 0U;
    while ((filled < kTapBlock) && (row_ < geometry_.rows.filter_size)) {
        const std::uint32_t room = kTapBlock - filled;
        std::uint32_t count = 0U;
        if ((position_ >= inside_first_) && (position_ < inside_end_)) {
            count = smaller_count(room, inside_end_ - position_);
            widen(inside_ + (position_ - inside_first_), count, geometry_.input_offset, taps.data() + filled);
        } else {
            const std::uint32_t outside_end = (position_ < inside_first_) ? inside_first_ : length_;
            count = smaller_count(room, outside_end - position_);
            std::memset(taps.data() + filled, 0, count * sizeof(TapBuffer::value_type));
        }
        filled += count;
        position_ += count;
        if (position_ == length_) {
            next_unit();
        }
    }
    return filled;
}

}  // namespace pianola::refdev
