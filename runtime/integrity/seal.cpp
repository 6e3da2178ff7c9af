#include "runtime/integrity/seal.h"

#include "pianola/bytes.h"

namespace pianola {

std::uint32_t seal_of(ByteSpan object, std::size_t bytes, std::uint32_t before) noexcept {
    const std::size_t end = (bytes <= object.size()) ? bytes : 0U;
    constexpr std::uint32_t kPrime = 0x0100'0193U;
    std::uint32_t seal = before;
    for (std::size_t i = 0U; i < end; i += sizeof(std::uint32_t)) {
        seal = (seal ^ load_aligned_word(&object[i])) * kPrime;
    }
    return seal;
}

}  // namespace pianola
