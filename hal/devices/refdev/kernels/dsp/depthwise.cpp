// Tiles of depthwise convolutions with the 16-bit SIMD instructions. For each channel and column two words hold the
// taps of the four rows; six multiplications then compute a column's part of both output rows, instead of nine for
// separate rows. Weights are doubled, as in packed.cpp.
#include "hal/devices/refdev/kernels/dsp/pairs.h"
#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kColumns = kDspTileColumns;
constexpr std::uint32_t kFilterSize = 3U;

// Rows 0 and 1, then 2 and 3, of a column; the first row is in the low half.
struct Column {
    std::uint32_t upper;
    std::uint32_t lower;
};
using Columns = std::array<Column, kColumns + 2U>;
using TileColumns = std::array<Columns, kQuad>;

// Of a channel, for each column of the filter: weights 0 and 1, then 1 and 2.
using Filter = std::array<Column, kFilterSize>;

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

// A channel whose short form is exact: weights and bias are doubled.
struct ShortChannel {
    static constexpr bool kFitsInt8 = true;

    Filter weights;
    std::int32_t bias;
    std::int32_t multiplier;
    std::int32_t nudge;
    std::uint32_t bits;

    [[nodiscard]] std::int32_t element(std::int32_t sum) const noexcept {
        return doubled_to_int8(sum, multiplier, nudge, bits);
    }
};
// A channel with any parameters: see scale_long().
struct LongChannel {
    static constexpr bool kFitsInt8 = false;

    Filter weights;
    std::int32_t bias;
    DoubledMultiplier multiplier;
    std::uint32_t bits;  // before the last that a right shift drops; of a left shift
    std::int32_t added;  // the output's zero point; with a right shift twice that, and 1
};
struct RightChannel : LongChannel {
    [[nodiscard]] std::int32_t element(std::int32_t sum) const noexcept {
        const std::int32_t twice = floor_shift_right(multiplier.signed_high(sum), bits);
        return floor_shift_right(__qadd(twice, added), 1U);
    }
};
struct LeftChannel : LongChannel {
    [[nodiscard]] std::int32_t element(std::int32_t sum) const noexcept {
        return __qadd(without_sign(multiplier.signed_high(shifted_left(sum, bits))), added);
    }
};
constexpr std::size_t kChannelWords = 1U + (sizeof(LongChannel) / sizeof(std::int32_t));
static_assert(sizeof(ShortChannel) <= sizeof(LongChannel));
static_assert((kQuad * kChannelWords * sizeof(std::int32_t)) <= sizeof(DepthwiseGroup));

// Which of them a channel is: the first of its words in the group.
enum class Form : std::int32_t { kShort, kRight, kLeft };

// `words` are the channel's.
template <class Channel, bool kClamps>
[[gnu::noinline]] void channel_of_tile(const Columns& columns, const std::int32_t* words, const DepthwiseTile& tile,
                                       const Requantisation& requantisation, std::size_t at) noexcept {
    Channel c{};  // copies: stores of int8 may alias them
    std::memcpy(&c, words, sizeof(c));
    const std::int32_t lowest = kClamps ? requantisation.lowest : INT8_MIN;
    const std::int32_t highest = kClamps ? requantisation.highest : INT8_MAX;
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
        const std::int32_t below = c.element(sums.lower);
        const std::int32_t above = c.element(sums.upper);
        *lower = static_cast<std::int8_t>(Channel::kFitsInt8 ? below : clamp_to(below, lowest, highest));
        *upper = static_cast<std::int8_t>(Channel::kFitsInt8 ? above : clamp_to(above, lowest, highest));
        lower += step;
        upper += step;
    }
}

// Weights of a channel, whose taps are `stride` bytes apart, times a factor.
[[nodiscard]] Filter filter_of(const std::int8_t* weights, std::size_t stride, std::int32_t factor) noexcept {
    const auto column = [&weights, &stride, &factor](std::uint32_t of_filter) {
        const auto weight = [&weights, &stride, &factor, &of_filter](std::uint32_t row) {
            const std::int32_t value = weights[((row * kFilterSize) + of_filter) * stride];
            return static_cast<std::uint32_t>(factor * value);
        };
        return Column{low_halves(weight(0U), weight(1U)), low_halves(weight(1U), weight(2U))};
    };
    return Filter{column(0U), column(1U), column(2U)};
}

}  // namespace

const DepthwiseTiles kDepthwiseTiles{kQuad, kColumns};

void prepare_depthwise(const std::int8_t* weights, std::size_t stride, const std::int8_t* parameters,
                       const Requantisation& requantisation, const DepthwiseTile& tile,
                       DepthwiseGroup& group) noexcept {
    const std::int32_t halves = (2 * requantisation.offset) + 1;
    for (std::uint32_t i = 0U; i < tile.channels; ++i) {
        const std::int32_t bias = bias_of(parameters, i);
        const std::int32_t multiplier = multiplier_of(parameters, i);
        const std::int32_t shift = shift_of(parameters, i);
        std::int32_t* const words = &group.words[i * kChannelWords];
        if (requantisation.is_short && requantisation.is_int8()) {
            const std::uint32_t bits = 0U - static_cast<std::uint32_t>(shift);
            const ShortChannel channel{filter_of(weights + i, stride, 2), wrapping_shift_left(bias, 1U), multiplier,
                                       shifted_left(halves, bits - 1U), bits};
            words[0U] = static_cast<std::int32_t>(Form::kShort);
            std::memcpy(&words[1U], &channel, sizeof(channel));
        } else {
            const bool is_right = shift < 0;
            const std::int32_t bits = is_right ? (-1 - larger_of(shift, kMinShift)) : smaller_of(shift, kMaxShift);
            const LongChannel channel{filter_of(weights + i, stride, 1), bias, doubled(multiplier),
                                      static_cast<std::uint32_t>(bits), is_right ? halves : requantisation.offset};
            words[0U] = static_cast<std::int32_t>(is_right ? Form::kRight : Form::kLeft);
            std::memcpy(&words[1U], &channel, sizeof(channel));
        }
    }
}

void depthwise_tile(const DepthwiseTile& tile, const DepthwiseGroup& group,
                    const Requantisation& requantisation) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    TileColumns columns;
    bring(tile, columns);
    const bool is_int8 = requantisation.is_int8();
    for (std::uint32_t i = 0U; i < tile.channels; ++i) {
        const std::int32_t* const words = &group.words[(i * kChannelWords) + 1U];
        const auto form = static_cast<Form>(group.words[i * kChannelWords]);
        if (form == Form::kShort) {
            channel_of_tile<ShortChannel, false>(columns[i], words, tile, requantisation, i);
        } else if (is_int8 && (form == Form::kRight)) {
            channel_of_tile<RightChannel, false>(columns[i], words, tile, requantisation, i);
        } else if (is_int8) {
            channel_of_tile<LeftChannel, false>(columns[i], words, tile, requantisation, i);
        } else if (form == Form::kRight) {
            channel_of_tile<RightChannel, true>(columns[i], words, tile, requantisation, i);
        } else {
            channel_of_tile<LeftChannel, true>(columns[i], words, tile, requantisation, i);
        }
    }
}

}  // namespace pianola::refdev
