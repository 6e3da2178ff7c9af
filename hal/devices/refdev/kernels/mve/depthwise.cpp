// Tiles of depthwise convolutions with the vector extension. The taps of a channel in four rows of a column are a word;
// the words of four columns, which one load gathers, are sixteen taps: the windows of two by two outputs. Four products
// of sums (VMLADAV) with the filter in the four corners are these outputs.
#include <arm_mve.h>

#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/layer_work.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kChannels = kMveTileChannels;
constexpr std::uint32_t kColumns = kMveTileColumns;
constexpr std::uint32_t kFilterSize = 3U;
// An even number of output columns is computed, from two more columns of the input.
constexpr std::uint32_t kBroughtColumns = kColumns + 2U;
constexpr std::uint32_t kColumnBytes = kChannels * kTileRows;
using Columns = std::array<std::int8_t, kBroughtColumns * kColumnBytes>;

// A filter is three words - columns, of three bytes each - between zeros. The start address of the load selects the
// corner: the filter's first byte is then at column 0 or 1, row 0 or 1.
constexpr std::uint32_t kFilterWords = 4U;
constexpr std::uint32_t kFilterBytes = 16U;
constexpr std::uint32_t kZerosBefore = kTileRows + 1U;
// A group's words: filters, zeros after the last one, then each channel's bias, multiplier and shift.
constexpr std::uint32_t kZeroWords = 2U;
constexpr std::uint32_t kBiases = (kChannels * kFilterWords) + kZeroWords;
constexpr std::uint32_t kMultipliers = kBiases + kChannels;
constexpr std::uint32_t kShifts = kMultipliers + kChannels;
static_assert(((kShifts + kChannels) * sizeof(std::int32_t)) <= sizeof(DepthwiseGroup));

// The columns under the tile: per column, per channel, four rows.
[[gnu::noinline]] void bring(const DepthwiseTile& tile, std::int8_t* to) noexcept {
    const int8x16_t padding = vdupq_n_s8(static_cast<std::int8_t>(-tile.offset));
    const std::uint32_t columns = tile.columns + 2U + (tile.columns % 2U);
    std::array<std::int8_t, kChannels> outside{};
    vstrbq_s8(outside.data(), padding);
    std::array<const std::int8_t*, kTileRows> rows{};
    std::array<std::size_t, kTileRows> steps{};
    for (std::uint32_t row = 0U; row < kTileRows; ++row) {
        rows[row] = (tile.rows[row] != nullptr) ? tile.rows[row] : outside.data();
        steps[row] = (tile.rows[row] != nullptr) ? tile.column_bytes : 0U;
    }
    const mve_pred16_t inside = vctp8q(tile.channels);
    for (std::uint32_t column = 0U; column < columns; ++column) {
        const auto at = static_cast<std::uint32_t>(tile.first + static_cast<std::int32_t>(column));
        int8x16x4_t taps{{padding, padding, padding, padding}};
        if (at < tile.input_columns) {  // not before the first either
            taps.val[0U] = vldrbq_z_s8(rows[0U] + (at * steps[0U]), inside);
            taps.val[1U] = vldrbq_z_s8(rows[1U] + (at * steps[1U]), inside);
            taps.val[2U] = vldrbq_z_s8(rows[2U] + (at * steps[2U]), inside);
            taps.val[3U] = vldrbq_z_s8(rows[3U] + (at * steps[3U]), inside);
        }
        vst4q_s8(to, taps);
        to += kColumnBytes;
    }
}

// Data shared by all windows of a tile, and by a channel's.
struct Shared {
    uint32x4_t columns;  // addresses of the words of four columns
    std::int32_t offset;
    std::int32_t lowest;
    std::int32_t highest;
};
struct ChannelScale {
    std::int32_t bias;
    std::int32_t multiplier;
    std::int32_t shift;  // not above 0
    std::int32_t left;   // of the long form: a shift above 0
    std::int32_t signs;  // of the long form: 1 with a right shift, which takes the sign of the product, otherwise 0
};

enum class Form : std::uint8_t {
    kShort,    // and the range is that of int8
    kInt8,     // any parameters; the range is that of int8
    kClamped,  // any parameters
};

// Upper left, upper right, lower left and lower right output of the window at `taps`. Vectors are separate parameters,
// because the compiler keeps those of a structure in memory. Another function has loaded what the assembly reads.
template <Form kForm>
[[nodiscard, gnu::always_inline]] inline int32x4_t window(const std::int8_t* taps, int8x16_t upper_left,
                                                          int8x16_t upper_right, int8x16_t lower_left,
                                                          int8x16_t lower_right, const ChannelScale& c,
                                                          const Shared& shared) noexcept {
    constexpr std::int32_t kSign = 31;
    int32x4_t sums{};
    std::int32_t sum0 = 0;
    std::int32_t sum1 = 0;
    std::int32_t sum2 = 0;
    std::int32_t sum3 = 0;
    __asm__ volatile(
        "vldrw.u32 %q[sums], [%[taps], %q[columns]]\n\t"
        "vmladav.s8 %[sum0], %q[sums], %q[upper_left]\n\t"
        "vmladav.s8 %[sum1], %q[sums], %q[upper_right]\n\t"
        "vmladav.s8 %[sum2], %q[sums], %q[lower_left]\n\t"
        "vmladav.s8 %[sum3], %q[sums], %q[lower_right]\n\t"
        "vmov %q[sums][2], %q[sums][0], %[sum0], %[sum2]\n\t"  // the first register goes into the lower lane
        "vmov %q[sums][3], %q[sums][1], %[sum1], %[sum3]"
        : [sums] "=&w"(sums), [sum0] "=&Te"(sum0), [sum1] "=&Te"(sum1), [sum2] "=&Te"(sum2), [sum3] "=&Te"(sum3)
        : [taps] "r"(taps), [columns] "w"(shared.columns), [upper_left] "w"(upper_left), [upper_right] "w"(upper_right),
          [lower_left] "w"(lower_left), [lower_right] "w"(lower_right));
    sums = vaddq_n_s32(sums, c.bias);
    if (kForm == Form::kShort) {
        sums = vaddq_s32(vqrdmulhq_n_s32(sums, c.multiplier), vshrq_n_s32(sums, kSign));
        sums = vaddq_n_s32(vrshlq_n_s32(sums, c.shift), shared.offset);
    } else {
        sums = vqrdmulhq_n_s32(vshlq_r_s32(sums, c.left), c.multiplier);
        sums = vmlaq_n_s32(sums, vshrq_n_s32(sums, kSign), c.signs);
        sums = vqaddq_n_s32(vrshlq_n_s32(sums, c.shift), shared.offset);
    }
    if (kForm == Form::kClamped) {
        return vminq_s32(vmaxq_s32(sums, vdupq_n_s32(shared.lowest)), vdupq_n_s32(shared.highest));
    }
    // Narrows to int8 in place; the intrinsics keep the other halves, which costs copies.
    __asm__("vqmovnb.s32 %q[sums], %q[sums]\n\tvqmovnb.s16 %q[sums], %q[sums]" : [sums] "+w"(sums));
    return sums;
}

template <Form kForm>
[[gnu::noinline]] void channels_of_tile(const std::int8_t* taps, const DepthwiseGroup& group, const DepthwiseTile& tile,
                                        const Requantisation& r) noexcept {
    constexpr std::uint32_t kUpperLanes = 2U;
    const Shared shared{vmulq_n_u32(vidupq_n_u32(0U, 1), kColumnBytes), r.offset, r.lowest, r.highest};
    const auto step = static_cast<std::uint32_t>(tile.column_bytes);
    // NOLINTNEXTLINE(pianola-misra-8.7.2): DEV-069
    const auto below = static_cast<std::uint32_t>((tile.lower != nullptr) ? (tile.lower - tile.upper) : 0);
    uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0U, 1), step);
    places = vsetq_lane_u32(below, places, 2);
    places = vsetq_lane_u32(below + step, places, 3);
    // Predicates come from instructions: GCC 12 loads wrong numbers for constants.
    const bool is_whole = tile.lower != nullptr;
    const mve_pred16_t upper_row = vctp32q(kUpperLanes);
    const mve_pred16_t left_column = vcmpeqq_n_u32(vandq_u32(vidupq_n_u32(0U, 1), vdupq_n_u32(1U)), 0U);
    const auto odd_rows =
        static_cast<mve_pred16_t>(is_whole ? left_column : (std::uint32_t{left_column} & std::uint32_t{upper_row}));
    const std::uint32_t pairs = tile.columns / 2U;
    const bool is_odd = (tile.columns % 2U) != 0U;
    const std::uint32_t channels = tile.channels;
    std::int8_t* const upper = tile.upper;
    const auto* const filters = reinterpret_cast<const std::int8_t*>(group.words.data());
    for (std::uint32_t i = 0U; i < channels; ++i) {
        const std::int8_t* const filter = &filters[i * kFilterBytes];
        const int8x16_t upper_left = vldrbq_s8(filter + kZerosBefore);
        const int8x16_t upper_right = vldrbq_s8(filter + 1U);
        const int8x16_t lower_left = vldrbq_s8(filter + kTileRows);
        const int8x16_t lower_right = vldrbq_s8(filter);
        const std::int32_t shift = group.words[kShifts + i];
        const ChannelScale scale{group.words[kBiases + i], group.words[kMultipliers + i],
                                 (kForm == Form::kShort) ? shift : clamp_to(shift, kMinShift, 0),
                                 clamp_to(shift, 0, kMaxShift), (shift < 0) ? 1 : 0};
        const auto elements = [&upper_left, &upper_right, &lower_left, &lower_right, &scale,
                               &shared](const std::int8_t* from) __attribute__((always_inline)) {
            return window<kForm>(from, upper_left, upper_right, lower_left, lower_right, scale, shared);
        };
        const std::int8_t* from = taps + (i * kTileRows);
        std::int8_t* to = upper + i;
        for (std::uint32_t left = is_whole ? pairs : 0U; left != 0U; --left) {
            vstrbq_scatter_offset_s32(to, places, elements(from));
            from += 2U * kColumnBytes;
            to += 2U * step;
        }
        for (std::uint32_t left = is_whole ? 0U : pairs; left != 0U; --left) {
            vstrbq_scatter_offset_p_s32(to, places, elements(from), upper_row);
            from += 2U * kColumnBytes;
            to += 2U * step;
        }
        if (is_odd) {
            vstrbq_scatter_offset_p_s32(to, places, elements(from), odd_rows);
        }
    }
}

}  // namespace

const DepthwiseTiles kDepthwiseTiles{kChannels, kColumns};

void prepare_depthwise(const std::int8_t* weights, std::size_t stride, const std::int8_t* parameters,
                       const Requantisation& /*requantisation*/, const DepthwiseTile& tile,
                       DepthwiseGroup& group) noexcept {
    constexpr std::uint32_t kByteBits = 8U;
    std::int32_t* filter = group.words.data();
    for (std::uint32_t i = 0U; i < tile.channels; ++i) {
        std::int32_t sum = 0;
        filter[0U] = 0;
        for (std::uint32_t column = 0U; column < kFilterSize; ++column) {
            std::uint32_t word = 0U;  // a zero, then the rows
            for (std::uint32_t row = 0U; row < kFilterSize; ++row) {
                const std::int8_t weight = weights[(((row * kFilterSize) + column) * stride) + i];
                word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(weight)) << (kByteBits * (row + 1U));
                sum += weight;
            }
            filter[column + 1U] = static_cast<std::int32_t>(word);
        }
        filter += kFilterWords;
        group.words[kBiases + i] = wrapping_add(bias_of(parameters, i), tile.offset * sum);
        group.words[kMultipliers + i] = multiplier_of(parameters, i);
        group.words[kShifts + i] = shift_of(parameters, i);
    }
    filter[0U] = 0;
    filter[1U] = 0;
}

void depthwise_tile(const DepthwiseTile& tile, const DepthwiseGroup& group,
                    const Requantisation& requantisation) noexcept {
    alignas(std::uint32_t)
        Columns columns;  // NOLINT(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    bring(tile, columns.data());
    if (!requantisation.is_int8()) {
        channels_of_tile<Form::kClamped>(columns.data(), group, tile, requantisation);
    } else if (requantisation.is_short) {
        channels_of_tile<Form::kShort>(columns.data(), group, tile, requantisation);
    } else {
        channels_of_tile<Form::kInt8>(columns.data(), group, tile, requantisation);
    }
}

}  // namespace pianola::refdev
