#include "hal/devices/refdev/kernels/patch.h"

#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/layer_work.h"
#include "hal/devices/refdev/kernels/turns.h"

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

PatchTurns patch_turns(const PatchGeometry& geometry, std::uint32_t output_height, std::uint32_t output_width,
                       std::uint32_t piece, Loops loops) noexcept {
    constexpr std::uint64_t kMoreOfSplit = 3U;  // turns of a unit that is copied in two pieces
    const std::uint64_t pixels = std::uint64_t{output_height} * output_width;
    const bool has_inner = geometry.unit_columns == geometry.columns.filter_size;
    const std::uint64_t inner = turns_if(
        has_inner, windows_inside(geometry.rows, output_height) * windows_inside(geometry.columns, output_width));
    const std::uint64_t units =
        std::uint64_t{geometry.rows.filter_size} * (geometry.columns.filter_size / geometry.unit_columns);
    const std::uint64_t pieces = ((units * geometry.unit_taps) + (piece - 1U)) / piece;
    const std::uint64_t splits = ((piece % geometry.unit_taps) == 0U) ? 0U : (pieces - 1U);
    const std::uint64_t inside = taps_inside_all(geometry.rows, output_height) *
                                 ((geometry.unit_columns == 1U) ? taps_inside_all(geometry.columns, output_width)
                                                                : windows_touching(geometry.columns, output_width));
    // A row of the filter may have padding on both sides.
    const bool is_narrow = (geometry.unit_columns > 1U) && (geometry.columns.input_size < geometry.unit_columns);
    const std::uint64_t of_unit = copy_turns(geometry.unit_taps, loops);
    return {pixels * pieces,
            inner * (units + splits),
            (pixels - inner) * (units + splits),
            (inside - (inner * units)) + ((pixels - inner) * splits) + turns_if(is_narrow, inside),
            (inside * of_unit) + (pixels * splits * kMoreOfSplit),
            ((pixels * units) - inside) * of_unit};
}

PieceTurns piece_turns(const PatchGeometry& geometry, std::uint32_t output_height, std::uint32_t output_width,
                       std::uint32_t block) noexcept {
    constexpr std::uint64_t kWord = sizeof(std::uint32_t);
    const std::uint64_t patches = std::uint64_t{output_height} * output_width;
    const std::uint64_t units =
        std::uint64_t{geometry.rows.filter_size} * (geometry.columns.filter_size / geometry.unit_columns);
    const std::uint64_t bytes = units * geometry.unit_taps;
    // A piece ends with its unit or with its block.
    const std::uint64_t cuts = turns_if((block % geometry.unit_taps) != 0U, blocks_of(bytes, block) - 1U);
    const std::uint64_t inner =
        turns_if(geometry.unit_columns == geometry.columns.filter_size,
                 windows_inside(geometry.rows, output_height) * windows_inside(geometry.columns, output_width));
    const std::uint64_t rows_inside = taps_inside_all(geometry.rows, output_height);
    const std::uint64_t columns_inside = taps_inside_all(geometry.columns, output_width);
    const std::uint64_t copied_bytes = rows_inside * columns_inside * geometry.filter_channels;
    // Units without padding, and with some.
    const bool is_column = geometry.unit_columns == 1U;
    const std::uint64_t whole_columns = is_column ? columns_inside : windows_inside(geometry.columns, output_width);
    const std::uint64_t whole = rows_inside * whole_columns;
    const std::uint64_t partial = turns_if(!is_column, rows_inside * (output_width - whole_columns));
    // Bytes after the last word of a piece, where that may end within one.
    const std::uint64_t most = ((geometry.filter_channels % 2U) == 0U) ? 2U : 3U;
    const std::uint64_t odd_bytes =
        turns_if((geometry.filter_channels % kWord) != 0U,
                 (whole * (geometry.unit_taps % kWord)) + ((partial + (patches * cuts)) * most));
    const std::uint64_t border = patches - inner;
    const std::uint64_t border_whole = whole - (inner * units);
    return PieceTurns{inner * (units + cuts),
                      border_whole + turns_if(is_column, border * cuts),
                      partial + turns_if(!is_column, border * cuts),
                      (border * units) - border_whole - partial,
                      (copied_bytes / kWord) + odd_bytes,
                      ((patches * bytes) - copied_bytes) / kWord};
}

}  // namespace pianola::refdev
