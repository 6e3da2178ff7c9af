// Tiles of depthwise convolutions with the 16-bit SIMD instructions. For each channel and column two words hold the
// taps of the four rows; six multiplications then compute a column's part of both output rows, instead of nine for
// separate rows. Weights are doubled, as in packed.cpp.
#include "hal/devices/refdev/kernels/dsp/pairs.h"
#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kColumns = 22U;
constexpr std::uint32_t kFilterSize = 3U;

// Rows 0 and 1, then 2 and 3, of a column; the first row is in the low half.
struct Column {
    std::uint32_t upper;
    std::uint32_t lower;
};
using Columns = std::array<Column, kColumns + 2U>;
using TileColumns = std::array<Columns, kQuad>;

// A channel: for each column of the filter weights 0 and 1, then 1 and 2.
struct Channel {
    std::array<Column, kFilterSize> weights;
    std::int32_t bias;
    std::int32_t multiplier;
    std::int32_t nudge;
    std::uint32_t bits;
};
static_assert((kQuad * sizeof(Channel)) <= sizeof(DepthwiseGroup));
constexpr std::size_t kChannelWords = sizeof(Channel) / sizeof(std::int32_t);

constexpr std::uint32_t kHalfBits = 16U;
constexpr std::uint32_t kLowHalf = 0xFFFFU;

[[nodiscard]] inline std::uint32_t low_halves(std::uint32_t first, std::uint32_t second) noexcept {
    return (first & kLowHalf) | (second << kHalfBits);
}
[[nodiscard]] inline std::uint32_t high_halves(std::uint32_t first, std::uint32_t second) noexcept {
    return (first >> kHalfBits) | (second & ~kLowHalf);
}

// The columns under the tile, four channels each.
[[gnu::noinline]] void bring(const DepthwiseTile& tile, TileColumns& columns) noexcept {
    const std::uint32_t offsets = offsets_of(tile.offset);
    const std::array<std::int8_t, kQuad> padding{
        static_cast<std::int8_t>(-tile.offset), static_cast<std::int8_t>(-tile.offset),
        static_cast<std::int8_t>(-tile.offset), static_cast<std::int8_t>(-tile.offset)};
    const auto row_or_padding = [&tile, &padding](std::uint32_t row) {
        return (tile.rows[row] != nullptr) ? tile.rows[row] : padding.data();
    };
    const auto load = [&tile](const std::int8_t* from) {
        return (tile.channels == kQuad) ? load_quad(from) : load_some(from, tile.channels);
    };
    const auto step_of = [&tile](std::uint32_t row) { return (tile.rows[row] != nullptr) ? tile.column_bytes : 0U; };
    const std::int8_t* const row0 = row_or_padding(0U);
    const std::int8_t* const row1 = row_or_padding(1U);
    const std::int8_t* const row2 = row_or_padding(2U);
    const std::int8_t* const row3 = row_or_padding(3U);
    for (std::uint32_t column = 0U; column < (tile.columns + 2U); ++column) {
        const auto at = static_cast<std::uint32_t>(tile.first + static_cast<std::int32_t>(column));
        if (at >= tile.input_columns) {  // before the first as well
            columns[0U][column] = Column{0U, 0U};
            columns[1U][column] = Column{0U, 0U};
            columns[2U][column] = Column{0U, 0U};
            columns[3U][column] = Column{0U, 0U};
            continue;
        }
        const Pairs pairs0 = unpack_add(load(row0 + (at * step_of(0U))), offsets);
        const Pairs pairs1 = unpack_add(load(row1 + (at * step_of(1U))), offsets);
        const Pairs pairs2 = unpack_add(load(row2 + (at * step_of(2U))), offsets);
        const Pairs pairs3 = unpack_add(load(row3 + (at * step_of(3U))), offsets);
        columns[0U][column] = Column{low_halves(pairs0.even, pairs1.even), low_halves(pairs2.even, pairs3.even)};
        columns[1U][column] = Column{low_halves(pairs0.odd, pairs1.odd), low_halves(pairs2.odd, pairs3.odd)};
        columns[2U][column] = Column{high_halves(pairs0.even, pairs1.even), high_halves(pairs2.even, pairs3.even)};
        columns[3U][column] = Column{high_halves(pairs0.odd, pairs1.odd), high_halves(pairs2.odd, pairs3.odd)};
    }
}

struct TwoSums {
    std::int32_t upper;
    std::int32_t lower;

    void add(const Column& taps, const Column& weights) noexcept {
        const auto rows01 = static_cast<int16x2_t>(taps.upper);
        const auto rows23 = static_cast<int16x2_t>(taps.lower);
        const auto weights01 = static_cast<int16x2_t>(weights.upper);
        const auto weights12 = static_cast<int16x2_t>(weights.lower);
        upper = __smlabt(rows23, weights12, __smlad(rows01, weights01, upper));
        lower = __smlad(rows23, weights12, __smlatb(rows01, weights01, lower));
    }
};

template <bool kClamps>
void channel_of_tile(const Columns& columns, const Channel& channel, const DepthwiseTile& tile,
                     const Requantisation& requantisation, std::size_t at) noexcept {
    const Channel c = channel;  // copies: stores of int8 may alias them
    const std::int32_t lowest = requantisation.lowest;
    const std::int32_t highest = requantisation.highest;
    const std::size_t step = tile.column_bytes;
    const Column* taps = columns.data();
    const Column* const end = taps + tile.columns;
    std::int8_t* upper = tile.upper + at;
    // Written first: without a second row the first one's elements replace these.
    std::int8_t* lower = ((tile.lower != nullptr) ? tile.lower : tile.upper) + at;
    for (; taps != end; ++taps) {
        TwoSums sums{c.bias, c.bias};
        sums.add(taps[0U], c.weights[0U]);
        sums.add(taps[1U], c.weights[1U]);
        sums.add(taps[2U], c.weights[2U]);
        const std::int32_t below = doubled_to_int8(sums.lower, c.multiplier, c.nudge, c.bits);
        const std::int32_t above = doubled_to_int8(sums.upper, c.multiplier, c.nudge, c.bits);
        *lower = static_cast<std::int8_t>(kClamps ? clamp_to(below, lowest, highest) : below);
        *upper = static_cast<std::int8_t>(kClamps ? clamp_to(above, lowest, highest) : above);
        lower += step;
        upper += step;
    }
}

}  // namespace

const DepthwiseTiles kDepthwiseTiles{kQuad, kColumns};

void prepare_depthwise(const std::int8_t* weights, std::size_t stride, const std::int8_t* parameters,
                       const Requantisation& requantisation, const DepthwiseTile& tile,
                       DepthwiseGroup& group) noexcept {
    for (std::uint32_t i = 0U; i < tile.channels; ++i) {
        const auto column = [&weights, &stride, &i](std::uint32_t of_filter) {
            const auto weight = [&weights, &of_filter, &stride, &i](std::uint32_t row) {
                const std::int32_t value = weights[(((row * kFilterSize) + of_filter) * stride) + i];
                return static_cast<std::uint32_t>(2 * value);
            };
            return Column{low_halves(weight(0U), weight(1U)), low_halves(weight(1U), weight(2U))};
        };
        const std::uint32_t bits = 0U - static_cast<std::uint32_t>(shift_of(parameters, i));
        const Channel channel{{column(0U), column(1U), column(2U)},
                              wrapping_shift_left(bias_of(parameters, i), 1U),
                              multiplier_of(parameters, i),
                              shifted_left((2 * requantisation.offset) + 1, bits - 1U),
                              bits};
        std::memcpy(&group.words[i * kChannelWords], &channel, sizeof(channel));
    }
}

void depthwise_tile(const DepthwiseTile& tile, const DepthwiseGroup& group,
                    const Requantisation& requantisation) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    TileColumns columns;
    bring(tile, columns);
    const bool is_whole = (requantisation.lowest == INT8_MIN) && (requantisation.highest == INT8_MAX);
    for (std::uint32_t i = 0U; i < tile.channels; ++i) {
        Channel channel{};
        std::memcpy(&channel, &group.words[i * kChannelWords], sizeof(channel));
        if (is_whole) {
            channel_of_tile<false>(columns[i], channel, tile, requantisation, i);
        } else {
            channel_of_tile<true>(columns[i], channel, tile, requantisation, i);
        }
    }
}

}  // namespace pianola::refdev
