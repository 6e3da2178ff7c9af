#include "hal/devices/refdev/kernels/patch.h"

#include "hal/devices/refdev/kernels/inner_loops.h"

namespace pianola::refdev {
namespace {

// Taps [first, end) of a unit. Those outside of [inside_first, inside_end) are padding; `inside` begins at
// inside_first.
struct UnitPiece {
    std::uint32_t first;
    std::uint32_t end;
    std::uint32_t inside_first;
    std::uint32_t inside_end;
    const std::int8_t* inside;
};

void copy_piece(const UnitPiece& piece, std::int8_t padding, std::int8_t* taps) noexcept {
    const std::uint32_t from = clamp_count(piece.inside_first, piece.first, piece.end);
    const std::uint32_t until = clamp_count(piece.inside_end, from, piece.end);
    if (piece.first < from) {
        fill_taps(padding, from - piece.first, taps);
    }
    if (from < until) {
        copy_taps(piece.inside + (from - piece.inside_first), until - from, taps + (from - piece.first));
    }
    if (until < piece.end) {
        fill_taps(padding, piece.end - until, taps + (until - piece.first));
    }
}

// Taps [first, first + count) of a patch whose rows are each contiguous and entirely inside. `input` points to its
// first tap.
void copy_inner_patch(const PatchGeometry& geometry, const std::int8_t* input, std::uint32_t first, std::uint32_t count,
                      std::int8_t* taps) noexcept {
    const std::size_t row_bytes =
        static_cast<std::size_t>(geometry.rows.dilation) * geometry.columns.input_size * geometry.input_channels;
    const std::int8_t* row = input + ((first / geometry.unit_taps) * row_bytes);
    std::uint32_t position = first % geometry.unit_taps;
    std::uint32_t left = count;
    while (left != 0U) {
        const std::uint32_t piece = smaller_count(geometry.unit_taps - position, left);
        copy_taps(row + position, piece, taps);
        taps += piece;
        left -= piece;
        row += row_bytes;
        position = 0U;
    }
}

}  // namespace

void copy_patch(const PatchGeometry& geometry, const std::int8_t* input, std::uint32_t output_row,
                std::uint32_t output_column, std::uint32_t first, std::uint32_t count, std::int8_t* taps) noexcept {
    const std::int32_t row_origin = geometry.rows.origin(output_row);
    const std::int32_t column_origin = geometry.columns.origin(output_column);
    if ((geometry.unit_columns == geometry.columns.filter_size) && is_inside(geometry.rows, row_origin) &&
        is_inside(geometry.columns, column_origin)) {
        const std::size_t pixel = (static_cast<std::size_t>(row_origin) * geometry.columns.input_size) +
                                  static_cast<std::size_t>(column_origin);
        copy_inner_patch(geometry, input + (pixel * geometry.input_channels), first, count, taps);
        return;
    }
    const TapRange rows = taps_inside(geometry.rows, row_origin);
    const TapRange columns = taps_inside(geometry.columns, column_origin);
    const std::uint32_t row_taps = clamp_count(geometry.columns.filter_size * geometry.filter_channels, 1U, UINT32_MAX);
    std::uint32_t row = first / row_taps;
    const std::uint32_t unit_taps = clamp_count(geometry.unit_taps, 1U, row_taps);
    std::uint32_t column = ((first % row_taps) / unit_taps) * geometry.unit_columns;
    std::uint32_t position = (first % row_taps) % unit_taps;
    std::uint32_t left = count;
    while (left != 0U) {
        UnitPiece piece{position, smaller_count(geometry.unit_taps, position + left), 0U, 0U, input};
        const std::uint32_t inside_first = (columns.first > column) ? columns.first : column;
        const std::uint32_t inside_end = smaller_count(columns.end, column + geometry.unit_columns);
        if ((row >= rows.first) && (row < rows.end) && (inside_first < inside_end)) {
            piece.inside_first = (inside_first - column) * geometry.filter_channels;
            piece.inside_end = (inside_end - column) * geometry.filter_channels;
            // Not negative: these taps are inside the input.
            const std::uint32_t input_row = static_cast<std::uint32_t>(row_origin) + (row * geometry.rows.dilation);
            const std::uint32_t input_column =
                static_cast<std::uint32_t>(column_origin) + (inside_first * geometry.columns.dilation);
            const std::size_t pixel =
                (static_cast<std::size_t>(input_row) * geometry.columns.input_size) + input_column;
            piece.inside = input + (pixel * geometry.input_channels);
        }
        copy_piece(piece, geometry.padding, taps);
        taps += piece.end - piece.first;
        left -= piece.end - piece.first;
        position = 0U;
        column += geometry.unit_columns;
        if (column == geometry.columns.filter_size) {
            column = 0U;
            row += 1U;
        }
    }
}

}  // namespace pianola::refdev
