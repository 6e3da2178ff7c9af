#include "runtime/integrity/seal.h"

#include "pianola/bytes.h"

namespace pianola {

std::uint32_t seal_of(ByteSpan object) noexcept {
    constexpr std::uint32_t kOffsetBasis = 0x811C'9DC5U;
    constexpr std::uint32_t kPrime = 0x0100'0193U;
    std::uint32_t seal = kOffsetBasis;
    for (std::size_t i = 0U; i < object.size(); i += sizeof(std::uint32_t)) {
        seal = (seal ^ load_aligned_word(&object[i])) * kPrime;
    }
    return seal;
}

}  // namespace pianola
