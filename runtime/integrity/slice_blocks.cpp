#include "runtime/integrity/slice_blocks.h"

#include <utility>

#include "pianola/bytes.h"

namespace pianola {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are summed as they lie in memory");

[[gnu::always_inline]] inline void add_word(ByteSpan block, std::size_t word, std::uint64_t& sum) noexcept {
    sum += std::uint64_t{kSliceKeys[word]} * load_aligned_word(&block[word * sizeof(std::uint32_t)]);
}

// Without a loop, which would cost a small core as much as the sums.
template <std::size_t... kWords>
[[gnu::always_inline]] inline void add_words(ByteSpan block, std::uint64_t& sum,
                                             std::index_sequence<kWords...> /*all*/) noexcept {
    // NOLINTNEXTLINE(pianola-misra-8.19.1): DEV-068
    (add_word(block, kWords, sum), ...);
}

}  // namespace

std::uint64_t add_blocks(std::uint64_t sum, const std::uint8_t* blocks, std::size_t count) noexcept {
    std::uint64_t total = sum;
    const ByteSpan all{blocks, count * SliceSum::kBlockBytes};
    for (std::size_t place = 0U; place < all.size(); place += SliceSum::kBlockBytes) {
        total *= kSliceFactor;
        const ByteSpan block{&all[place], SliceSum::kBlockBytes};  // subspan() makes an address for each word
        add_words(block, total, std::make_index_sequence<kBlockWords>{});
    }
    return total;
}

}  // namespace pianola
