// The inner loops with SSE2. It has no instructions that widen bytes, multiply 32-bit words with signs, or shift each
// word by a separate count: other instructions do that.
#include <emmintrin.h>

#include "hal/devices/refdev/kernels/window.h"
#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev::sse2 {
namespace {

constexpr std::uint32_t kFour = 4U;     // 32-bit words in a vector
constexpr std::int32_t kFraction = 31;  // fractional bits of a multiplier
constexpr std::int32_t kSign = 31;

[[nodiscard]] inline __m128i load_sixteen(const void* from) noexcept {
    __m128i bytes{};
    std::memcpy(&bytes, from, sizeof(bytes));
    return bytes;
}

// Eight bytes and eight zeros.
[[nodiscard]] inline __m128i load_eight(const std::int8_t* from) noexcept {
    std::int64_t bytes = 0;
    std::memcpy(&bytes, from, sizeof(bytes));
    return _mm_cvtsi64_si128(bytes);
}

// Eight bytes, widened to 16 bits.
[[nodiscard]] inline __m128i widen_eight(const std::int8_t* from) noexcept {
    constexpr std::int32_t kByte = 8;
    const __m128i bytes = load_eight(from);
    return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), kByte);
}

// PMULUDQ multiplies the lower word of each half, unsigned. So words are raised by 2^31 before a product, which adds
// the other factor to what multiply_lower() gives.
[[nodiscard]] inline __m128i raised(__m128i words) noexcept {
    return _mm_xor_si128(words, _mm_set1_epi32(INT32_MIN));
}
[[nodiscard]] inline __m128i upper_words(__m128i halves) noexcept {
    constexpr std::int32_t kWord = 32;
    return _mm_srli_epi64(halves, kWord);
}
// floor((word * factor + 2^30) / 2^31) of the lower words; only the lower words of the result are valid.
[[nodiscard]] inline __m128i multiply_lower(__m128i words, __m128i factors) noexcept {
    const __m128i half = _mm_set1_epi64x(INT64_C(0x4000'0000));
    return _mm_srli_epi64(_mm_add_epi64(_mm_mul_epu32(words, factors), half), kFraction);
}
// The lower words of two vectors, interleaved.
[[nodiscard]] inline __m128i all_words(__m128i even, __m128i odd) noexcept {
    constexpr std::int32_t kLower = 0x08;  // words 0 and 2 first
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, kLower), _mm_shuffle_epi32(odd, kLower));
}

// rounding_doubling_high_multiply() of each word and a multiplier that is not negative.
[[nodiscard]] inline __m128i multiply_high(__m128i words, __m128i multipliers) noexcept {
    const __m128i from = raised(words);
    const __m128i product =
        all_words(multiply_lower(from, multipliers), multiply_lower(upper_words(from), upper_words(multipliers)));
    return _mm_sub_epi32(product, multipliers);
}

// The ChannelParameters of four channels, member by member.
struct FourParameters {
    __m128i biases;
    __m128i multipliers;
    __m128i shifts;
};

// The last of the channels is loaded with the word before it: nothing is read after it.
[[nodiscard]] inline FourParameters four_parameters(const std::int8_t* parameters) noexcept {
    constexpr std::size_t kWord = sizeof(std::int32_t);
    constexpr std::size_t kNext = kChannelParametersBytes;
    const __m128i first = load_sixteen(parameters);
    const __m128i second = load_sixteen(parameters + kNext);
    const __m128i third = load_sixteen(parameters + (2U * kNext));
    const __m128i last = _mm_srli_si128(load_sixteen(parameters + ((3U * kNext) - kWord)), kWord);
    const __m128i low_pairs = _mm_unpacklo_epi32(first, second);  // two biases, two multipliers
    const __m128i high_pairs = _mm_unpacklo_epi32(third, last);
    return {_mm_unpacklo_epi64(low_pairs, high_pairs), _mm_unpackhi_epi64(low_pairs, high_pairs),
            _mm_unpacklo_epi64(_mm_unpackhi_epi32(first, second), _mm_unpackhi_epi32(third, last))};
}

// Eight words, clamped to 16 bits and to the output's range. Offset and bounds of the range are 16 bits wide, so
// clamping early changes nothing.
[[nodiscard]] inline std::int64_t eight_elements(__m128i low, __m128i high, __m128i offset, __m128i lowest,
                                                 __m128i highest) noexcept {
    const __m128i placed = _mm_adds_epi16(_mm_packs_epi32(low, high), offset);
    const __m128i clamped = _mm_min_epi16(_mm_max_epi16(placed, lowest), highest);
    return _mm_cvtsi128_si64(_mm_packs_epi16(clamped, clamped));
}

}  // namespace

// Sums of products with SSE2. Sixteen bytes become words of 16 bits, even and odd bytes separately: taps, with their
// offset, once for all channels; weights once for both rows, as 256 times their value, which takes only a shift and a
// mask. PMADDWD multiplies and adds two products.
namespace {

constexpr std::uint32_t kLanes = 16U;  // taps
constexpr std::int32_t kByte = 8;
constexpr std::uint32_t kRaised = 256U;  // times

// Sixteen bytes, widened to 16 bits.
struct WideBytes {
    __m128i even;
    __m128i odd;
};

// Data of four channels: sixteen bytes of weights each, or their sums, in four words each that are still to be added.
struct FourChannels {
    __m128i of0;
    __m128i of1;
    __m128i of2;
    __m128i of3;
};

using WideRow = std::array<WideBytes, kTapBlock / kLanes>;
static_assert((kTapBlock % kLanes) == 0U, "a block of taps is whole vectors");
static_assert((kTapBlock / kFour) * kLargestProduct * kRaised <= INT32_MAX, "a word holds a block's products");

[[nodiscard]] inline WideBytes widen(__m128i bytes) noexcept {
    return {_mm_srai_epi16(_mm_slli_epi16(bytes, kByte), kByte), _mm_srai_epi16(bytes, kByte)};
}

// 256 times each byte.
[[nodiscard]] inline WideBytes raise(__m128i bytes) noexcept {
    constexpr std::int16_t kOddByte = -256;
    return {_mm_slli_epi16(bytes, kByte), _mm_and_si128(bytes, _mm_set1_epi16(kOddByte))};
}

// Fewer than sixteen bytes, and zeros. Small layers most often have eight.
[[nodiscard]] inline __m128i load_some(const std::int8_t* from, std::uint32_t count) noexcept {
    if (count == kEight) {
        return load_eight(from);
    }
    std::array<std::int8_t, kLanes> bytes{};
    std::memcpy(bytes.data(), from, count);
    return load_sixteen(bytes.data());
}

// The last sixteen taps of a row, of which all except `rest` have already been counted and are treated as 0.
[[nodiscard]] inline WideBytes widen_end(const std::int8_t* end, std::uint32_t rest, __m128i offset) noexcept {
    constexpr std::array<std::int8_t, std::size_t{2U} * kLanes> kSeenThenNew{
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const WideBytes taps = widen(load_sixteen(end - kLanes));
    const WideBytes is_new = widen(load_sixteen(&kSeenThenNew[rest]));
    return {_mm_and_si128(_mm_add_epi16(taps.even, offset), is_new.even),
            _mm_and_si128(_mm_add_epi16(taps.odd, offset), is_new.odd)};
}

// The taps of a row, at most kTapBlock, with the offset.
void widen_row(const std::int8_t* row, std::uint32_t taps, std::int32_t tap_offset, WideRow& wide) noexcept {
    const __m128i offset = _mm_set1_epi16(static_cast<std::int16_t>(tap_offset));
    const std::uint32_t rest = taps % kLanes;
    const std::uint32_t whole = taps / kLanes;
    for (std::size_t i = 0U; i < whole; ++i) {
        const WideBytes bytes = widen(load_sixteen(row + (i * kLanes)));
        wide[i] = {_mm_add_epi16(bytes.even, offset), _mm_add_epi16(bytes.odd, offset)};
    }
    if (rest == 0U) {
        return;
    }
    if (whole != 0U) {
        wide[whole] = widen_end(row + taps, rest, offset);
        return;
    }
    const WideBytes bytes = widen(load_some(row, rest));  // weights of missing taps are zeros
    wide[0U] = {_mm_add_epi16(bytes.even, offset), _mm_add_epi16(bytes.odd, offset)};
}

[[nodiscard]] inline FourChannels weights_of_four(const std::int8_t* weights, std::size_t stride) noexcept {
    return {load_sixteen(weights), load_sixteen(weights + stride), load_sixteen(weights + (2U * stride)),
            load_sixteen(weights + (3U * stride))};
}

// Weights of the last taps of a row, in the layout of widen_row().
[[nodiscard]] inline FourChannels last_weights_of_four(const std::int8_t* weights, std::size_t stride,
                                                       std::uint32_t taps) noexcept {
    if (taps > kLanes) {
        return weights_of_four(weights + (taps - kLanes), stride);
    }
    return {load_some(weights, taps), load_some(weights + stride, taps), load_some(weights + (2U * stride), taps),
            load_some(weights + (3U * stride), taps)};
}

inline void add_products(const WideBytes& taps, const WideBytes& weights, __m128i& sums) noexcept {
    sums = _mm_add_epi32(sums, _mm_madd_epi16(taps.even, weights.even));
    sums = _mm_add_epi32(sums, _mm_madd_epi16(taps.odd, weights.odd));
}

// One row's sixteen taps.
inline void add_to_row(const WideBytes& taps, const FourChannels& weights, FourChannels& sums) noexcept {
    add_products(taps, raise(weights.of0), sums.of0);
    add_products(taps, raise(weights.of1), sums.of1);
    add_products(taps, raise(weights.of2), sums.of2);
    add_products(taps, raise(weights.of3), sums.of3);
}

// One channel's weights with two rows' taps.
inline void add_to_both(const WideBytes& first_taps, const WideBytes& second_taps, __m128i weights, __m128i& first,
                        __m128i& second) noexcept {
    const WideBytes raised = raise(weights);
    add_products(first_taps, raised, first);
    add_products(second_taps, raised, second);
}

inline void add_to_rows(const WideBytes& first_taps, const WideBytes& second_taps, const FourChannels& weights,
                        FourChannels& first, FourChannels& second) noexcept {
    add_to_both(first_taps, second_taps, weights.of0, first.of0, second.of0);
    add_to_both(first_taps, second_taps, weights.of1, first.of1, second.of1);
    add_to_both(first_taps, second_taps, weights.of2, first.of2, second.of2);
    add_to_both(first_taps, second_taps, weights.of3, first.of3, second.of3);
}

// Adds 1/256 of four channels' sums.
inline void add_up(const FourChannels& lanes, std::int32_t* sums) noexcept {
    const __m128i pairs01 =
        _mm_add_epi32(_mm_unpacklo_epi32(lanes.of0, lanes.of1), _mm_unpackhi_epi32(lanes.of0, lanes.of1));
    const __m128i pairs23 =
        _mm_add_epi32(_mm_unpacklo_epi32(lanes.of2, lanes.of3), _mm_unpackhi_epi32(lanes.of2, lanes.of3));
    const __m128i all = _mm_add_epi32(_mm_unpacklo_epi64(pairs01, pairs23), _mm_unpackhi_epi64(pairs01, pairs23));
    const __m128i with_before = _mm_add_epi32(load_sixteen(sums), _mm_srai_epi32(all, kByte));
    std::memcpy(sums, &with_before, sizeof(with_before));
}

// One row by four channels, whose weights are `stride` apart.
void one_by_four(const WideRow& row, std::uint32_t taps, const std::int8_t* weights, std::size_t stride,
                 std::int32_t* sums) noexcept {
    FourChannels lanes{};
    const std::size_t whole = taps / kLanes;
    if ((taps % kLanes) != 0U) {
        add_to_row(row[whole], last_weights_of_four(weights, stride, taps), lanes);
    }
    for (std::size_t i = 0U; i < whole; ++i) {
        add_to_row(row[i], weights_of_four(weights + (i * kLanes), stride), lanes);
    }
    add_up(lanes, sums);
}

// One row by eight channels.
void one_by_eight(const WideRow& row, std::uint32_t taps, const std::int8_t* weights, std::size_t stride,
                  std::int32_t* sums) noexcept {
    const std::int8_t* const next_weights = weights + (kFour * stride);
    FourChannels low{};
    FourChannels high{};
    const std::size_t whole = taps / kLanes;
    if ((taps % kLanes) != 0U) {
        add_to_row(row[whole], last_weights_of_four(weights, stride, taps), low);
        add_to_row(row[whole], last_weights_of_four(next_weights, stride, taps), high);
    }
    for (std::size_t i = 0U; i < whole; ++i) {
        add_to_row(row[i], weights_of_four(weights + (i * kLanes), stride), low);
        add_to_row(row[i], weights_of_four(next_weights + (i * kLanes), stride), high);
    }
    add_up(low, sums);
    add_up(high, sums + kFour);
}

// Two rows by four channels.
void two_by_four(const std::array<WideRow, kRowBlock>& rows, std::uint32_t taps, const std::int8_t* weights,
                 std::size_t stride, std::int32_t* first_sums, std::int32_t* second_sums) noexcept {
    FourChannels first{};
    FourChannels second{};
    const std::size_t whole = taps / kLanes;
    if ((taps % kLanes) != 0U) {
        add_to_rows(rows[0U][whole], rows[1U][whole], last_weights_of_four(weights, stride, taps), first, second);
    }
    for (std::size_t i = 0U; i < whole; ++i) {
        add_to_rows(rows[0U][i], rows[1U][i], weights_of_four(weights + (i * kLanes), stride), first, second);
    }
    add_up(first, first_sums);
    add_up(second, second_sums);
}

// At most kTapBlock taps of each row.
void accumulate_block(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    std::array<WideRow, kRowBlock> wide;
    widen_row(rows.first, rows.taps, rows.offset, wide[0U]);
    if (rows.rows == kRowBlock) {
        widen_row(rows.second, rows.taps, rows.offset, wide[1U]);
    }
    const std::int8_t* weights = filter.weights;
    std::uint32_t channel = 0U;
    for (; (rows.rows != kRowBlock) && ((channel + kEight) <= filter.channels); channel += kEight) {
        one_by_eight(wide[0U], rows.taps, weights, filter.stride, &sums[0U][channel]);
        weights += kEight * filter.stride;
    }
    for (; (channel + kFour) <= filter.channels; channel += kFour) {
        if (rows.rows == kRowBlock) {
            two_by_four(wide, rows.taps, weights, filter.stride, &sums[0U][channel], &sums[1U][channel]);
        } else {
            one_by_four(wide[0U], rows.taps, weights, filter.stride, &sums[0U][channel]);
        }
        weights += kFour * filter.stride;
    }
    for (; channel < filter.channels; ++channel) {
        for (std::uint32_t row = 0U; row < rows.rows; ++row) {
            std::array<std::int32_t, kFour> same{sums[row][channel]};  // four times the same channel
            one_by_four(wide[row], rows.taps, weights, 0U, same.data());
            sums[row][channel] = same[0U];
        }
        weights += filter.stride;
    }
}

}  // namespace

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
    TapRows block = rows;
    FilterRows weights = filter;
    std::uint32_t done = 0U;
    while (done < rows.taps) {
        block.taps = smaller_count(kTapBlock, rows.taps - done);
        accumulate_block(block, weights, sums);
        block.first += block.taps;
        block.second += block.taps;
        weights.weights += block.taps;
        done += block.taps;
    }
}

// Depthwise sums and requantisation with SSE2: eight channels at once.
//
// The short form (requantisation.h) with products alone: t is rounding_doubling_high_multiply() of the sum and the
// multiplier, and floor((t - [sum < 0] + 2^(s-1)) / 2^s) is that of t - [sum < 0] and 2^(31-s). For s = 0, without
// [sum < 0], it is t. The output's zero point is added last.
namespace {

// Factors of four channels' sums, in order.
struct FourScales {
    __m128i multipliers;
    __m128i powers;  // 2^(31-s), without a sign
    __m128i shifts;  // -s
};

// Powers for shifts from -31 to 0. The negative power, which always fits, is built from sign and exponent of a
// floating-point number.
[[nodiscard]] inline FourScales four_scales(const FourParameters& of) noexcept {
    constexpr std::int32_t kMinusHighestBit = 256 + 127 + 31;
    constexpr std::int32_t kFractionBits = 23;
    const __m128i exponents = _mm_add_epi32(of.shifts, _mm_set1_epi32(kMinusHighestBit));
    const __m128i negative = _mm_cvttps_epi32(_mm_castsi128_ps(_mm_slli_epi32(exponents, kFractionBits)));
    return {of.multipliers, _mm_sub_epi32(_mm_setzero_si128(), negative), of.shifts};
}

// Between the products, words at even and odd indices stay separate.
[[nodiscard]] inline __m128i scale_four(__m128i sums, const FourScales& scales) noexcept {
    const __m128i from = raised(sums);
    const __m128i even = multiply_lower(from, scales.multipliers);
    const __m128i odd = multiply_lower(upper_words(from), upper_words(scales.multipliers));
    const __m128i below = _mm_srai_epi32(_mm_and_si128(sums, scales.shifts), kSign);  // if both are negative
    const __m128i nudge = _mm_sub_epi32(below, raised(scales.multipliers));  // and raised again, from t + multiplier
    const __m128i scaled =
        all_words(multiply_lower(_mm_add_epi32(even, nudge), scales.powers),
                  multiply_lower(_mm_add_epi32(odd, upper_words(nudge)), upper_words(scales.powers)));
    return _mm_sub_epi32(scaled, scales.powers);
}

// The range of the output, for eight elements of 16 bits.
struct EightRanges {
    __m128i offset;
    __m128i lowest;
    __m128i highest;

    explicit EightRanges(const Requantisation& r) noexcept
        : offset{_mm_set1_epi16(static_cast<std::int16_t>(r.offset))},
          lowest{_mm_set1_epi16(static_cast<std::int16_t>(r.lowest))},
          highest{_mm_set1_epi16(static_cast<std::int16_t>(r.highest))} {}
};

struct EightWords {
    __m128i low;
    __m128i high;
};

inline void store(const EightWords& sums, const FourScales& low, const FourScales& high, const EightRanges& range,
                  std::int8_t* output) noexcept {
    const std::int64_t elements = eight_elements(scale_four(sums.low, low), scale_four(sums.high, high), range.offset,
                                                 range.lowest, range.highest);
    std::memcpy(output, &elements, sizeof(elements));
}

// Products of eight channels' taps and weights: at most 255 * 128 in magnitude, they fit into 16 bits.
[[nodiscard]] inline __m128i eight_products(const std::int8_t* taps, const std::int8_t* weights,
                                            __m128i offset) noexcept {
    return _mm_mullo_epi16(_mm_add_epi16(widen_eight(taps), offset), widen_eight(weights));
}

// Two products of each channel.
inline void add_both(__m128i left, __m128i right, EightWords& sums) noexcept {
    const __m128i ones = _mm_set1_epi16(1);
    sums.low = _mm_add_epi32(sums.low, _mm_madd_epi16(_mm_unpacklo_epi16(left, right), ones));
    sums.high = _mm_add_epi32(sums.high, _mm_madd_epi16(_mm_unpackhi_epi16(left, right), ones));
}

// Adds the products of eight channels of a window from `channel` on.
inline void add_window(const DepthwiseWindow& window, std::size_t channel, EightWords& sums) noexcept {
    const __m128i offset = _mm_set1_epi16(static_cast<std::int16_t>(window.offset));
    for (std::size_t row = 0U; row < window.rows; ++row) {
        const std::int8_t* input = window.input + (row * window.input_row) + channel;
        const std::int8_t* weights = window.weights + (row * window.weight_row) + channel;
        std::uint32_t column = 0U;
        for (; (column + 2U) <= window.columns; column += 2U) {
            const __m128i first = eight_products(input, weights, offset);
            input += window.input_column;
            weights += window.weight_column;
            add_both(first, eight_products(input, weights, offset), sums);
            input += window.input_column;
            weights += window.weight_column;
        }
        if (column < window.columns) {
            add_both(eight_products(input, weights, offset), _mm_setzero_si128(), sums);
        }
    }
}

}  // namespace

void depthwise_eights(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept {
    const EightRanges range{requantisation};
    for (std::size_t channel = 0U; channel < channels; channel += kEight) {
        const std::int8_t* const of_eight = parameters + (channel * kChannelParametersBytes);
        const FourParameters low = four_parameters(of_eight);
        const FourParameters high = four_parameters(of_eight + (std::size_t{kFour} * kChannelParametersBytes));
        EightWords sums{low.biases, high.biases};
        add_window(window, channel, sums);
        if (requantisation.is_short) {
            store(sums, four_scales(low), four_scales(high), range, output + channel);
        } else {
            EightSums words{};
            std::memcpy(words.data(), &sums, sizeof(sums));
            store_long(words, of_eight, requantisation, output + channel);
        }
    }
}

void store_eights(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                  const Requantisation& requantisation, const OutputRows& output) noexcept {
    const EightRanges range{requantisation};
    for (std::size_t channel = 0U; channel < channels; channel += kEight) {
        const std::int8_t* const of_eight = parameters + (channel * kChannelParametersBytes);
        const FourScales low = four_scales(four_parameters(of_eight));
        const FourScales high = four_scales(four_parameters(of_eight + (std::size_t{kFour} * kChannelParametersBytes)));
        std::int8_t* to = output.first + channel;
        for (std::uint32_t row = 0U; row < output.rows; ++row) {
            const std::int32_t* const from = &sums[row][channel];
            store(EightWords{load_sixteen(from), load_sixteen(from + kFour)}, low, high, range, to);
            to += output.stride;
        }
    }
}

// Conditions under which the short form of requantisation is exact, with SSE2.
namespace {

// Words that are above a limit, both without signs.
[[nodiscard]] inline __m128i are_above(__m128i words, std::uint32_t limit) noexcept {
    const __m128i sign = _mm_set1_epi32(INT32_MIN);
    return _mm_cmpgt_epi32(_mm_xor_si128(words, sign),
                           _mm_xor_si128(_mm_set1_epi32(static_cast<std::int32_t>(limit)), sign));
}

}  // namespace

// Each channel is compared as in plain C++.
bool are_eights_exact(const std::int8_t* parameters, std::uint32_t channels, std::uint32_t largest_bias) noexcept {
    const __m128i largest = _mm_set1_epi32(static_cast<std::int32_t>(largest_bias));
    const __m128i lowest_shift = _mm_set1_epi32(kShortForm.lowest_shift);
    const auto shifts = static_cast<std::uint32_t>(kShortForm.highest_shift - kShortForm.lowest_shift);
    __m128i wrong = _mm_setzero_si128();
    for (std::size_t channel = 0U; channel < channels; channel += kFour) {
        const FourParameters of = four_parameters(parameters + (channel * kChannelParametersBytes));
        const __m128i too_much = _mm_or_si128(are_above(_mm_add_epi32(of.biases, largest), 2U * largest_bias),
                                              are_above(_mm_sub_epi32(of.shifts, lowest_shift), shifts));
        wrong = _mm_or_si128(wrong, _mm_or_si128(too_much, _mm_srai_epi32(of.multipliers, kSign)));
    }
    return _mm_movemask_epi8(wrong) == 0;
}

// Addition with SSE2: eight elements at once.
namespace {

// Negates the value if the sign is -1; unchanged if it is 0.
[[nodiscard]] inline __m128i negate_where(__m128i sign, __m128i words) noexcept {
    return _mm_sub_epi32(_mm_xor_si128(words, sign), sign);
}

// Scale::apply() for shifts from -31 to 0 and multipliers that are not negative.
[[nodiscard]] inline __m128i apply(const Scale& scale, __m128i words) noexcept {
    const auto bits = static_cast<std::uint32_t>(-scale.shift());
    const __m128i rounding = _mm_set1_epi32(static_cast<std::int32_t>((std::uint32_t{1} << bits) >> 1U));
    const __m128i high = multiply_high(words, _mm_set1_epi32(scale.multiplier()));
    const __m128i sign = _mm_srai_epi32(high, kSign);
    const __m128i magnitude = _mm_add_epi32(negate_where(sign, high), rounding);
    return negate_where(sign, _mm_srl_epi32(magnitude, _mm_cvtsi32_si128(static_cast<std::int32_t>(bits))));
}

// Four elements of 16 bits, in the upper halves of words.
[[nodiscard]] inline __m128i term(const ScaledTerm& of, __m128i upper_halves) noexcept {
    constexpr std::int32_t kHalf = 16;
    const __m128i wide = _mm_add_epi32(_mm_srai_epi32(upper_halves, kHalf), _mm_set1_epi32(of.offset));
    return apply(of.scale, _mm_sll_epi32(wide, _mm_cvtsi32_si128(static_cast<std::int32_t>(of.left_shift))));
}

}  // namespace

std::uint32_t add_vectors(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2,
                          std::int8_t* output, std::uint32_t count) noexcept {
    const AddPlan p = plan;  // a copy: stores of int8 may alias it
    const __m128i lowest = _mm_set1_epi16(static_cast<std::int16_t>(p.range.lowest() + p.range.offset()));
    const __m128i highest = _mm_set1_epi16(static_cast<std::int16_t>(p.range.highest() + p.range.offset()));
    const __m128i offset = _mm_set1_epi16(static_cast<std::int16_t>(p.range.offset()));
    std::uint32_t done = 0U;
    for (; (done + kEight) <= count; done += kEight) {
        const __m128i left = widen_eight(input1 + done);
        const __m128i right = widen_eight(input2 + done);
        const __m128i low = _mm_add_epi32(term(p.term1, _mm_unpacklo_epi16(left, left)),
                                          term(p.term2, _mm_unpacklo_epi16(right, right)));
        const __m128i high = _mm_add_epi32(term(p.term1, _mm_unpackhi_epi16(left, left)),
                                           term(p.term2, _mm_unpackhi_epi16(right, right)));
        const std::int64_t elements =
            eight_elements(apply(p.output_scale, low), apply(p.output_scale, high), offset, lowest, highest);
        std::memcpy(output + done, &elements, sizeof(elements));
    }
    return done;
}

}  // namespace pianola::refdev::sse2
