#include "pianola/slice_check.h"

#include <cstring>

#include "pianola/bytes.h"
#include "runtime/integrity/slice_blocks.h"

namespace pianola {

void SliceSum::update(ByteSpan bytes) noexcept {
    const std::size_t blocks = bytes.size() / kBlockBytes;
    std::size_t done = 0U;
    if (is_word_aligned(bytes.data())) {
        sum_ = add_blocks(sum_, bytes.data(), blocks);
        done = blocks * kBlockBytes;
    }
    while (done < bytes.size()) {  // each iteration takes some
        const std::size_t count = ((bytes.size() - done) < kBlockBytes) ? (bytes.size() - done) : kBlockBytes;
        alignas(std::uint32_t) std::array<std::uint8_t, kBlockBytes> block{};
        std::memcpy(block.data(), &bytes[done], count);
        sum_ = add_blocks(sum_, block.data(), 1U);
        done += count;
    }
}

std::uint64_t slice_sum(ByteSpan bytes) noexcept {
    SliceSum sum;
    sum.update(bytes);
    return sum.value();
}

std::uint64_t check_at(ByteSpan checks, std::uint32_t index) noexcept {
    constexpr std::uint32_t kWordBits = 32U;
    const std::size_t place = std::size_t{index} * kCheckBytes;
    const std::uint64_t high = load_le32(checks, place + sizeof(std::uint32_t));
    return (high << kWordBits) | load_le32(checks, place);
}

}  // namespace pianola
