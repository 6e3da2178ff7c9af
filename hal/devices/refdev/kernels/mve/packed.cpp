// Packed weights on cores with the vector extension: three rows by two channels, six sums in registers. The input
// offset is part of the biases, which are added when the sums are scaled.
#include <arm_mve.h>

#include "hal/devices/refdev/kernels/inner_loops.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kPair = 2U;  // channels whose weights alternate

// Some taps of all channels of a block, two by two. Pairs' weights are `stride` bytes apart.
struct Segment {
    const std::int8_t* weights;
    std::size_t stride;
    std::uint32_t groups;
};

// Start values of the products of each pair of channels, in the layout of the assembly.
struct ThreeRows {
    const std::int8_t* row0;
    const std::int8_t* row1;
    const std::int8_t* row2;
    std::uint32_t taps;
    std::size_t to_next;  // weights of other taps, in bytes
};

// Group by group, each as two pairs of channels. Assembly for the reasons given in inner_loops.cpp; it uses every
// register, so that a pair takes few instructions besides its products.
template <bool kBegins>
// NOLINTNEXTLINE(readability-non-const-parameter): DEV-040
[[gnu::noinline]] void three_rows(const PackedTaps& taps, const Segment& segment, std::int32_t* sums) noexcept {
    constexpr std::uint32_t kLanes = 16U;
    const std::size_t used = (std::size_t{taps.count + (kLanes - 1U)} / kLanes) * kLanes * kPair;
    const ThreeRows rows{taps.rows[0U], taps.rows[1U], taps.rows[2U], taps.count, segment.stride - used};
    const ThreeRows* const shared = &rows;
    const std::int8_t* const weights = segment.weights;
    const std::uint32_t groups = segment.groups;
    __asm__ volatile(
        "ldr r12, %[shared]\n\t"
        "ldr r7, %[weights]\n\t"
        "ldr r9, %[sums]\n\t"
        "ldr r11, %[groups]\n"
        "1:\n"
        ".set place, 0\n"
        ".rept 2\n\t"
        "ldrd r1, r3, [r12]\n\t"
        "ldrd r5, lr, [r12, #8]\n"
        ".if %c[begins]\n\t"
        "mov r0, #0\n\t"
        "mov r2, #0\n\t"
        "mov r4, #0\n\t"
        "mov r6, #0\n\t"
        "mov r8, #0\n\t"
        "mov r10, #0\n"
        ".else\n\t"
        "ldrd r0, r2, [r9, #place]\n\t"
        "ldrd r4, r6, [r9, #place + 16]\n\t"
        "ldrd r8, r10, [r9, #place + 32]\n"
        ".endif\n\t"
        "dlstp.8 lr, lr\n"
        "2:\n\t"
        "vldrb.8 q0, [r7], #16\n\t"
        "vldrb.8 q1, [r1], #16\n\t"
        "vmladava.s8 r0, q0, q1\n\t"
        "vldrb.8 q2, [r3], #16\n\t"
        "vmladava.s8 r4, q0, q2\n\t"
        "vldrb.8 q3, [r5], #16\n\t"
        "vmladava.s8 r8, q0, q3\n\t"
        "vldrb.8 q0, [r7], #16\n\t"
        "vmladava.s8 r2, q0, q1\n\t"
        "vmladava.s8 r6, q0, q2\n\t"
        "vmladava.s8 r10, q0, q3\n\t"
        "letp lr, 2b\n\t"
        "ldr r5, [r12, #16]\n\t"
        "strd r0, r2, [r9, #place]\n\t"
        "strd r4, r6, [r9, #place + 16]\n\t"
        "strd r8, r10, [r9, #place + 32]\n\t"
        "add r7, r7, r5\n"
        ".set place, place + 8\n"
        ".endr\n\t"
        "add r9, r9, #48\n\t"
        "subs r11, r11, #1\n\t"
        "bne 1b"
        :
        : [shared] "m"(shared), [weights] "m"(weights), [sums] "m"(sums), [groups] "m"(groups), [begins] "i"(kBegins)
        : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "q0", "q1", "q2",
          "q3", "memory");
}

// One row by four channels; likewise.
template <bool kBegins>
[[gnu::noinline]] void one_row(const PackedTaps& taps, const Segment& segment, std::int32_t* sums) noexcept {
    const std::int8_t* next = segment.weights;
    for (std::uint32_t left = segment.groups; left != 0U; --left) {
        const std::int8_t* row = taps.rows[0U];
        const std::int8_t* weights = next;
        const std::int8_t* weights1 = weights + segment.stride;
        next = weights1 + segment.stride;
        std::int32_t sum0 = kBegins ? 0 : sums[0U];
        std::int32_t sum1 = kBegins ? 0 : sums[1U];
        std::int32_t sum2 = kBegins ? 0 : sums[2U];
        std::int32_t sum3 = kBegins ? 0 : sums[3U];
        __asm__ volatile(
            "ldr lr, %[taps]\n\t"
            "dlstp.8 lr, lr\n"
            "1:\n\t"
            "vldrb.8 q0, [%[row]], #16\n\t"
            "vldrb.8 q1, [%[weights]], #16\n\t"
            "vmladava.s8 %[sum0], q0, q1\n\t"
            "vldrb.8 q2, [%[weights]], #16\n\t"
            "vmladava.s8 %[sum1], q0, q2\n\t"
            "vldrb.8 q3, [%[weights1]], #16\n\t"
            "vmladava.s8 %[sum2], q0, q3\n\t"
            "vldrb.8 q1, [%[weights1]], #16\n\t"
            "vmladava.s8 %[sum3], q0, q1\n\t"
            "letp lr, 1b"
            : [row] "+r"(row), [weights] "+r"(weights), [weights1] "+r"(weights1), [sum0] "+Te"(sum0),
              [sum1] "+Te"(sum1), [sum2] "+Te"(sum2), [sum3] "+Te"(sum3)
            : [taps] "m"(taps.count)
            : "q0", "q1", "q2", "q3", "lr", "memory");
        sums[0U] = sum0;
        sums[1U] = sum1;
        sums[2U] = sum2;
        sums[3U] = sum3;
        sums += std::size_t{kPackedRows} * kPackedGroup;
    }
}

// A group's channels: how its sums become elements.
struct GroupScale {
    int32x4_t biases;
    int32x4_t multipliers;
    int32x4_t shifts;

    explicit GroupScale(const std::int32_t* words) noexcept
        : biases{vldrwq_s32(words)},
          multipliers{vldrwq_s32(words + kPackedGroup)},
          shifts{vldrwq_s32(words + (std::size_t{2U} * kPackedGroup))} {}

    // For shifts below 0: see requantise_short() of inner_loops.cpp.
    [[nodiscard]] int32x4_t elements(const std::int32_t* sums, const Requantisation& r) const noexcept {
        constexpr std::int32_t kSign = 31;
        const int32x4_t sum = vaddq_s32(vldrwq_s32(sums), biases);
        const int32x4_t product = vaddq_s32(vqrdmulhq_s32(sum, multipliers), vshrq_n_s32(sum, kSign));
        const int32x4_t placed = vaddq_n_s32(vrshlq_s32(product, shifts), r.offset);
        return vminq_s32(vmaxq_s32(placed, vdupq_n_s32(r.lowest)), vdupq_n_s32(r.highest));
    }
};

}  // namespace

const PackedLoops kPackedLoops{std::uint32_t{1} << static_cast<std::uint32_t>(WeightsLayout::kMve), kPackedRows};

void accumulate_packed(const PackedBlock& block, const PackedTaps& taps, PackedSums& sums) noexcept {
    const std::uint32_t groups = (block.channels + (kPackedGroup - 1U)) / kPackedGroup;
    const Segment segment{block.weights + (std::size_t{taps.first} * kPair),
                          static_cast<std::size_t>(packed_row_bytes(WeightsLayout::kMve, block.taps)) * kPair, groups};
    const bool is_one = taps.used == 1U;
    const bool begins = taps.first == 0U;
    if (is_one && begins) {
        one_row<true>(taps, segment, sums.data());
    } else if (is_one) {
        one_row<false>(taps, segment, sums.data());
    } else if (begins) {
        three_rows<true>(taps, segment, sums.data());
    } else {
        three_rows<false>(taps, segment, sums.data());
    }
}

void store_packed(const PackedBlock& block, const PackedSums& sums, const Requantisation& requantisation,
                  const OutputRows& output) noexcept {
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-041
    const auto* words = reinterpret_cast<const std::int32_t*>(block.parameters);
    const std::int32_t* from = sums.data();
    std::int8_t* to = output.first;
    const std::size_t stride = output.stride;
    std::uint32_t left = block.channels;
    if (output.rows == kPackedRows) {
        for (; left >= kPackedGroup; left -= kPackedGroup) {
            const GroupScale scale{words};
            vstrbq_s32(to, scale.elements(from, r));
            vstrbq_s32(to + stride, scale.elements(from + kPackedGroup, r));
            vstrbq_s32(to + (2U * stride), scale.elements(from + (std::size_t{2U} * kPackedGroup), r));
            words += std::size_t{3U} * kPackedGroup;
            from += std::size_t{kPackedRows} * kPackedGroup;
            to += kPackedGroup;
        }
    }
    for (; left >= kPackedGroup; left -= kPackedGroup) {
        const GroupScale scale{words};
        vstrbq_s32(to, scale.elements(from, r));
        if (output.rows > 1U) {
            vstrbq_s32(to + stride, scale.elements(from + kPackedGroup, r));
        }
        words += std::size_t{3U} * kPackedGroup;
        from += std::size_t{kPackedRows} * kPackedGroup;
        to += kPackedGroup;
    }
    if (left != 0U) {
        const GroupScale scale{words};
        const mve_pred16_t inside = vctp32q(left);
        for (std::uint32_t row = 0U; row < output.rows; ++row) {
            vstrbq_p_s32(to, scale.elements(from, r), inside);
            from += kPackedGroup;
            to += stride;
        }
    }
}

}  // namespace pianola::refdev
