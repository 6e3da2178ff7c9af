// library: what the image links of the C library, of the compiler's own, and of assembly for its core, against plain
// loops.
#include "pianola/bytes.h"
#include "runtime/integrity/slice_blocks.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/library/library_checks.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kMostBlocks = 33U;

[[nodiscard]] std::uint64_t plain_sum(std::uint64_t sum, ByteSpan blocks) noexcept {
    std::uint64_t total = sum;
    for (std::uint32_t i = 0U; i < blocks.size() / sizeof(std::uint32_t); ++i) {
        total *= (i % kBlockWords == 0U) ? kSliceFactor : 1U;
        total += std::uint64_t{kSliceKeys[i % kBlockWords]} * load_le32(blocks, i * sizeof(std::uint32_t));
    }
    return total;
}

// How many sums of 0 to kMostBlocks blocks, half of them at odd words, differ from the plain loop's.
[[nodiscard]] std::uint32_t different_sums(MutableByteSpan memory) noexcept {
    std::uint32_t random = 1U;
    for (std::uint32_t i = 0U; i < memory.size(); ++i) {
        random = (random * 1664525U) + 1013904223U;  // Numerical Recipes' linear congruential generator
        memory[i] = (i < SliceSum::kBlockBytes) ? std::uint8_t{0xFFU} : static_cast<std::uint8_t>(random >> 24U);
    }
    std::uint32_t differences = 0U;
    std::uint64_t sum = 0U;
    for (std::uint32_t count = 0U; count <= kMostBlocks; ++count) {
        const ByteSpan blocks{&memory[(count % 2U) * sizeof(std::uint32_t)], count * SliceSum::kBlockBytes};
        const std::uint64_t wanted = plain_sum(sum, blocks);
        differences += (add_blocks(sum, blocks.data(), count) == wanted) ? 0U : 1U;
        sum = ~wanted;
    }
    return differences;
}

}  // namespace

std::int32_t test_library(const Arguments& /*arguments*/) noexcept {
    LoadArea area;
    const MutableByteSpan memory = area.allocate(library::kMemoryBytes);
    if (memory.empty()) {
        return kWrongUsage;
    }
    const library::Result result = library::check_all(library::linked_functions(), memory.data());
    report("calls", result.calls);
    report("differences", result.differences);
    const std::uint32_t sums = different_sums(memory);
    report("different_sums", sums);
    return (result.differences == 0U && sums == 0U) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
