// Turns of the C library's memcpy().
//
// Libraries move 64, 16 and 4 bytes a turn, and the rest and short pieces byte by byte, or all of them so. Alignment is
// not known when turns are counted: up to 3 bytes come first, and fewer are left. The coefficients of calls bound these
// bytes and the last ones.
#pragma once

#include <cstdint>

namespace pianola::refdev {

struct CopyTurns {
    static constexpr std::uint32_t kLargeBytes = 64U;
    static constexpr std::uint32_t kBlockBytes = 16U;
    static constexpr std::uint32_t kWordBytes = 4U;
    static constexpr std::uint32_t kShortBytes = 8U;  // below this, a piece that is not aligned is moved in bytes

    std::uint64_t short_calls{0U};
    std::uint64_t short_bytes{0U};
    std::uint64_t later_bytes{0U};  // of short pieces: those after the third
    std::uint64_t calls{0U};
    std::uint64_t large{0U};
    std::uint64_t blocks{0U};
    std::uint64_t words{0U};

    // Adds `count` calls for a size. Both are at most 2^31.
    constexpr void add(std::uint64_t count, std::uint64_t size_bytes) noexcept {
        if (size_bytes < kShortBytes) {
            short_calls += count;
            short_bytes += count * size_bytes;
            later_bytes += (size_bytes < kWordBytes) ? 0U : (count * (size_bytes - (kWordBytes - 1U)));
        } else {
            // After 3 bytes; after 1 byte, words may take the place of a block.
            const std::uint64_t in_blocks = (size_bytes - (kWordBytes - 1U)) & ~std::uint64_t{kBlockBytes - 1U};
            calls += count;
            large += count * (in_blocks / kLargeBytes);
            blocks += count * ((in_blocks % kLargeBytes) / kBlockBytes);
            words += count * ((size_bytes - 1U - in_blocks) / kWordBytes);
        }
    }
};

}  // namespace pianola::refdev
