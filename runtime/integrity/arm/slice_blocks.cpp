// For Arm cores with UMLAL: less than half an instruction for each byte, which compilers do not reach.
#include "runtime/integrity/slice_blocks.h"

namespace pianola {
namespace {

constexpr std::size_t kFactorAt = kSliceKeys.size();

// The keys, then the factor.
[[nodiscard]] constexpr std::array<std::uint32_t, kFactorAt + 1U> keys_and_factor() noexcept {
    std::array<std::uint32_t, kFactorAt + 1U> all{};
    for (std::size_t i = 0U; i < kFactorAt; ++i) {
        all[i] = kSliceKeys[i];
    }
    all[kFactorAt] = kSliceFactor;
    return all;
}
constexpr std::array<std::uint32_t, kFactorAt + 1U> kKeysAndFactor = keys_and_factor();

}  // namespace

std::uint64_t add_blocks(std::uint64_t sum, const std::uint8_t* blocks, std::size_t count) noexcept {
    constexpr std::uint32_t kWordBits = 32U;
    auto low = static_cast<std::uint32_t>(sum);
    auto high = static_cast<std::uint32_t>(sum >> kWordBits);
    const std::uint8_t* place = blocks;
    const std::uint32_t* keys = &kKeysAndFactor[kFactorAt];
    std::size_t left = count;  // NOLINT(misc-const-correctness): DEV-040
    // `keys` points to the factor when a block begins: loading it moves the pointer back to the first key. Then four
    // words and their keys at a time. Builds without optimisation leave one of r7 and r11 free.
    __asm__ volatile(  // NOLINT(hicpp-no-assembler): DEV-040
        "b 2f\n\t"
        "1:\n\t"
        "ldr r5, [%[keys]], #-64\n\t"
        "umull %[low], r4, %[low], r5\n\t"
        "mla %[high], %[high], r5, r4\n\t"
        ".rept 4\n\t"
        "ldmia %[place]!, {r4, r5, r6, r8}\n\t"
        "ldmia %[keys]!, {r9, r10, r12, lr}\n\t"
        "umlal %[low], %[high], r4, r9\n\t"
        "umlal %[low], %[high], r5, r10\n\t"
        "umlal %[low], %[high], r6, r12\n\t"
        "umlal %[low], %[high], r8, lr\n\t"
        ".endr\n\t"
        "2:\n\t"
        "subs %[left], %[left], #1\n\t"
        "bpl 1b"
        : [low] "+r"(low), [high] "+r"(high), [place] "+r"(place), [left] "+r"(left), [keys] "+r"(keys)
        :
        : "r4", "r5", "r6", "r8", "r9", "r10", "r12", "lr", "cc", "memory");
    return (std::uint64_t{high} << kWordBits) | low;
}

}  // namespace pianola
