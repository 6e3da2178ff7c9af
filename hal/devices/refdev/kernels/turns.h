// Numbers of turns that the work functions of several kernels count (work.h).
//
// All are exact in 64 bits for launches that describe() accepts: operands have less than 2^31 bytes, and windows less
// than 2^30 taps. bounded_product() is for operands alone: it saturates.
#pragma once

#include <cstdint>

namespace pianola::refdev {

// Blocks of at most `block` that cover `count`.
[[nodiscard]] constexpr std::uint64_t blocks_of(std::uint64_t count, std::uint64_t block) noexcept {
    return (count + (block - 1U)) / block;
}

[[nodiscard]] constexpr std::uint64_t turns_if(bool condition, std::uint64_t turns) noexcept {
    return condition ? turns : 0U;
}

}  // namespace pianola::refdev
