// Sums of products with SSE2. Sixteen bytes become words of 16 bits, even and odd bytes separately: taps, with their
// offset, once for all channels; weights once for both rows, as 256 times their value, which takes only a shift and a
// mask. PMADDWD multiplies and adds two products.
#include "hal/devices/refdev/kernels/window.h"
#include "hal/devices/refdev/kernels/x86/sse2_vectors.h"

namespace pianola::refdev::sse2 {
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

}  // namespace pianola::refdev::sse2
