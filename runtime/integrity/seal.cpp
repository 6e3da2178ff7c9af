#include "runtime/integrity/seal.h"

#include "pianola/bytes.h"

namespace pianola {

std::uint32_t seal_of(ByteSpan object, std::size_t bytes, std::uint32_t before) noexcept {
    const std::size_t end = (bytes <= object.size()) ? bytes : 0U;
    constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
    constexpr std::uint32_t kFactor = 0x0100'0193U;  // the prime of FNV: 3 modulo 8, so that its powers are many
    std::uint32_t seal = before;
    std::size_t i = 0U;
    // Unrolled by four: every call of a session computes the seal of its state twice.
    for (; (end - i) >= (4U * kWordBytes); i += 4U * kWordBytes) {
        seal = (seal * kFactor) + load_aligned_word(&object[i]);
        seal = (seal * kFactor) + load_aligned_word(&object[i + kWordBytes]);
        seal = (seal * kFactor) + load_aligned_word(&object[i + (2U * kWordBytes)]);
        seal = (seal * kFactor) + load_aligned_word(&object[i + (3U * kWordBytes)]);
    }
    for (; i < end; i += kWordBytes) {
        seal = (seal * kFactor) + load_aligned_word(&object[i]);
    }
    return seal;
}

}  // namespace pianola
