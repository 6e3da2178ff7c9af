// For Arm cores with UMLAL: half an instruction for each byte, which compilers do not reach.
#include "runtime/integrity/slice_blocks.h"

namespace pianola {

std::uint64_t add_blocks(std::uint64_t sum, const std::uint8_t* blocks, std::size_t count) noexcept {
    constexpr std::uint32_t kWordBits = 32U;
    auto low = static_cast<std::uint32_t>(sum);
    auto high = static_cast<std::uint32_t>(sum >> kWordBits);
    const std::uint8_t* place = blocks;
    std::size_t left = count;  // NOLINT(misc-const-correctness): DEV-040
    // Four words and their keys at a time: both registers of LDRD are a pair, as the A32 instruction set wants it.
    __asm__ volatile(  // NOLINT(hicpp-no-assembler): DEV-040
        "b 2f\n\t"
        "1:\n\t"
        "umull %[low], r4, %[low], %[factor]\n\t"
        "mla %[high], %[high], %[factor], r4\n\t"
        ".irp offset, 0, 16, 32, 48\n\t"
        "ldmia %[place]!, {r4, r5, r6, r12}\n\t"
        "ldrd r8, r9, [%[keys], #\\offset]\n\t"
        "umlal %[low], %[high], r4, r8\n\t"
        "umlal %[low], %[high], r5, r9\n\t"
        "ldrd r8, r9, [%[keys], #\\offset + 8]\n\t"
        "umlal %[low], %[high], r6, r8\n\t"
        "umlal %[low], %[high], r12, r9\n\t"
        ".endr\n\t"
        "2:\n\t"
        "subs %[left], %[left], #1\n\t"
        "bpl 1b"
        : [low] "+r"(low), [high] "+r"(high), [place] "+r"(place), [left] "+r"(left)
        : [keys] "r"(kSliceKeys.data()), [factor] "r"(kSliceFactor)
        : "r4", "r5", "r6", "r8", "r9", "r12", "cc", "memory");
    return (std::uint64_t{high} << kWordBits) | low;
}

}  // namespace pianola
