// Packed weights on cores with the 16-bit SIMD instructions: two rows by four channels, all eight sums in registers.
// Weights and biases are doubled when packed, so that SMMLAR rounds like both roundings of the scheme together.
#include "hal/devices/refdev/kernels/dsp/pairs.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/inner_loops.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kOctet = kDspOctet;
constexpr std::uint32_t kTwoRows = 2U;
using Wide = std::array<std::uint32_t, kTapBlock>;  // of two rows: four taps of one row are two words

// Bytes of one tap of four channels' weights.
constexpr std::uint32_t kTapBytes = kPackedGroup * static_cast<std::uint32_t>(sizeof(std::int16_t));

// Four taps of both rows: pairs 0 and 2 of each, then 1 and 3.
inline void widen_quads(std::uint32_t first, std::uint32_t second, std::uint32_t offsets, std::uint32_t* to) noexcept {
    const Pairs first_pairs = unpack_add(first, offsets);
    const Pairs second_pairs = unpack_add(second, offsets);
    to[0U] = first_pairs.even;
    to[1U] = second_pairs.even;
    to[2U] = first_pairs.odd;
    to[3U] = second_pairs.odd;
}

// Padded to whole octets with zeros, where the weights are zeros as well.
void widen_two(const std::int8_t* first, const std::int8_t* second, std::uint32_t count, std::uint32_t offsets,
               std::uint32_t* to) noexcept {
    std::uint32_t left = count;
    for (; left >= kQuad; left -= kQuad) {
        widen_quads(load_quad(first), load_quad(second), offsets, to);
        first += kQuad;
        second += kQuad;
        to += kQuad;
    }
    if (left != 0U) {
        widen_quads(load_some(first, left), load_some(second, left), offsets, to);
        to += kQuad;
    }
    if (((count + (kQuad - 1U)) & kQuad) != 0U) {
        widen_quads(0U, 0U, 0U, to);
    }
}

void widen_one(const std::int8_t* taps, std::uint32_t count, std::uint32_t offsets, std::uint32_t* to) noexcept {
    const auto store = [&to](const Pairs& pairs) {
        to[0U] = pairs.even;
        to[1U] = pairs.odd;
        to += 2U;
    };
    std::uint32_t left = count;
    for (; left >= kQuad; left -= kQuad) {
        store(unpack_add(load_quad(taps), offsets));
        taps += kQuad;
    }
    if (left != 0U) {
        store(unpack_add(load_some(taps, left), offsets));
    }
    if (((count + (kQuad - 1U)) & kQuad) != 0U) {
        store(Pairs{0U, 0U});
    }
}

// Some taps of all groups of a block. Groups' weights are `stride` bytes apart, of which `bytes` belong to the taps.
struct Segment {
    const std::int8_t* weights;
    std::size_t stride;
    std::size_t bytes;
    std::uint32_t groups;
};

// Assembly that uses every register: eight sums, two pairs of taps, two of weights and two pointers are fourteen.
// NOLINTNEXTLINE(readability-non-const-parameter): DEV-040
[[gnu::noinline]] void two_rows(const std::uint32_t* wide, const Segment& segment, std::int32_t* sums) noexcept {
    const std::int8_t* weights = segment.weights;
    for (std::uint32_t left = segment.groups; left != 0U; --left) {
        const std::int8_t* const end = weights + segment.bytes;
        __asm__ volatile(
            "ldr r2, %[sums]\n\t"
            "ldr r1, %[weights]\n\t"
            "ldr r0, %[wide]\n\t"
            "ldmia r2, {r4-r11}\n"
            "1:\n"
            ".rept 4\n\t"
            "ldrd r2, r3, [r0], #8\n\t"
            "ldrd r12, lr, [r1], #8\n\t"
            "smlad r4, r2, r12, r4\n\t"
            "smlad r8, r3, r12, r8\n\t"
            "smlad r5, r2, lr, r5\n\t"
            "smlad r9, r3, lr, r9\n\t"
            "ldrd r12, lr, [r1], #8\n\t"
            "smlad r6, r2, r12, r6\n\t"
            "smlad r10, r3, r12, r10\n\t"
            "smlad r7, r2, lr, r7\n\t"
            "smlad r11, r3, lr, r11\n"
            ".endr\n\t"
            "ldr r2, %[end]\n\t"
            "cmp r1, r2\n\t"
            "bne 1b\n\t"
            "ldr r2, %[sums]\n\t"
            "stmia r2, {r4-r11}"
            :
            : [sums] "m"(sums), [weights] "m"(weights), [wide] "m"(wide), [end] "m"(end)
            : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
        weights += segment.stride;
        sums += std::size_t{kPackedRows} * kPackedGroup;
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): DEV-040
[[gnu::noinline]] void one_row(const std::uint32_t* wide, const Segment& segment, std::int32_t* sums) noexcept {
    const std::int8_t* weights = segment.weights;
    for (std::uint32_t left = segment.groups; left != 0U; --left) {
        const std::int8_t* const end = weights + segment.bytes;
        __asm__ volatile(
            "ldr r2, %[sums]\n\t"
            "ldr r1, %[weights]\n\t"
            "ldr r0, %[wide]\n\t"
            "ldr r12, %[end]\n\t"
            "ldmia r2, {r8-r11}\n"
            "1:\n"
            ".rept 2\n\t"
            "ldrd r2, r3, [r0], #8\n\t"
            "ldmia r1!, {r4-r7}\n\t"
            "smlad r8, r2, r4, r8\n\t"
            "smlad r9, r2, r5, r9\n\t"
            "smlad r10, r2, r6, r10\n\t"
            "smlad r11, r2, r7, r11\n\t"
            "ldmia r1!, {r4-r7}\n\t"
            "smlad r8, r3, r4, r8\n\t"
            "smlad r9, r3, r5, r9\n\t"
            "smlad r10, r3, r6, r10\n\t"
            "smlad r11, r3, r7, r11\n"
            ".endr\n\t"
            "cmp r1, r12\n\t"
            "bne 1b\n\t"
            "ldr r2, %[sums]\n\t"
            "stmia r2, {r8-r11}"
            :
            : [sums] "m"(sums), [weights] "m"(weights), [wide] "m"(wide), [end] "m"(end)
            : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "cc", "memory");
        weights += segment.stride;
        sums += std::size_t{kPackedRows} * kPackedGroup;
    }
}

// Both rows of sums begin with the biases.
void start(const PackedBlock& block, std::uint32_t groups, PackedSums& sums) noexcept {
    std::int32_t* to = sums.data();
    const std::int8_t* biases = block.parameters;
    for (std::uint32_t left = groups; left != 0U; --left) {
        std::array<std::int32_t, kPackedGroup> of_group{};
        std::memcpy(of_group.data(), biases, sizeof(of_group));
        std::memcpy(to, of_group.data(), sizeof(of_group));
        std::memcpy(to + kPackedGroup, of_group.data(), sizeof(of_group));
        to += std::size_t{kPackedRows} * kPackedGroup;
        biases += std::size_t{kPackedGroup} * kChannelParametersBytes;
    }
}

template <bool kClamps>
void store_rows(const PackedBlock& block, const PackedSums& sums, const Requantisation& requantisation,
                const OutputRows& output) noexcept {
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    const auto place = [&r](std::int32_t element) {
        return static_cast<std::int8_t>(kClamps ? clamp_to(element, r.lowest, r.highest) : element);
    };
    const bool has_second = output.rows == kTwoRows;
    const std::int32_t* first = sums.data();
    const std::int32_t* second = first + (has_second ? kPackedGroup : 0U);
    const std::int32_t halves = (2 * r.offset) + 1;
    std::int8_t* to = output.first;
    const std::size_t to_second = has_second ? output.stride : 0U;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-041
    const auto* words = reinterpret_cast<const std::int32_t*>(block.parameters);
    std::uint32_t left = block.channels;
    while (left != 0U) {
        const std::uint32_t count = (left < kPackedGroup) ? left : kPackedGroup;
        for (std::uint32_t channel = 0U; channel < count; ++channel) {
            const std::int32_t multiplier = words[kPackedGroup + channel];
            const std::uint32_t bits = 0U - static_cast<std::uint32_t>(words[(2U * kPackedGroup) + channel]);
            const std::int32_t nudge = shifted_left(halves, bits - 1U);
            to[to_second] = place(doubled_to_int8(second[channel], multiplier, nudge, bits));
            *to = place(doubled_to_int8(first[channel], multiplier, nudge, bits));
            ++to;
        }
        words += std::size_t{3U} * kPackedGroup;
        first += std::size_t{kPackedRows} * kPackedGroup;
        second += std::size_t{kPackedRows} * kPackedGroup;
        left -= count;
    }
}

}  // namespace

const PackedLoops kPackedLoops{std::uint32_t{1} << static_cast<std::uint32_t>(WeightsLayout::kDsp), kTwoRows};

void accumulate_packed(const PackedBlock& block, const PackedTaps& taps, PackedSums& sums) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    Wide wide;
    const std::uint32_t offsets = offsets_of(block.offset);
    const std::uint32_t groups = (block.channels + (kPackedGroup - 1U)) / kPackedGroup;
    const auto stride = static_cast<std::size_t>(packed_row_bytes(WeightsLayout::kDsp, block.taps)) * kPackedGroup;
    if (taps.first == 0U) {
        start(block, groups, sums);
    }
    std::uint32_t done = 0U;
    while (done < taps.count) {
        const std::uint32_t left = taps.count - done;
        const std::uint32_t count = (left < kTapBlock) ? left : kTapBlock;
        const std::uint32_t whole = ((count + (kOctet - 1U)) / kOctet) * kOctet;
        const Segment segment{block.weights + (std::size_t{taps.first + done} * kTapBytes), stride,
                              std::size_t{whole} * kTapBytes, groups};
        if (taps.used == kTwoRows) {
            widen_two(taps.rows[0U] + done, taps.rows[1U] + done, count, offsets, wide.data());
            two_rows(wide.data(), segment, sums.data());
        } else {
            widen_one(taps.rows[0U] + done, count, offsets, wide.data());
            one_row(wide.data(), segment, sums.data());
        }
        done += count;
    }
}

void store_packed(const PackedBlock& block, const PackedSums& sums, const Requantisation& requantisation,
                  const OutputRows& output) noexcept {
    if (requantisation.is_int8()) {
        store_rows<false>(block, sums, requantisation, output);
    } else {
        store_rows<true>(block, sums, requantisation, output);
    }
}

}  // namespace pianola::refdev
