// Seal: checksum that detects changed state.
//
// The session seals it when a call ends, and checks the seal when the next call begins.
#pragma once

#include <cstdint>

#include "pianola/span.h"

namespace pianola {

// Seal over the first `bytes` of an object, chained to `before`; `before` alone if the object has fewer. Any two
// contents of one size that differ in a single 32-bit word have different seals, so every single-bit error is detected;
// of contents that differ at random one of 2^32 is not. Two flips of one high bit, in two words, cancel more often:
// always of bit 31, half of those of bit 30, an eighth of bit 28. A polynomial of the words modulo 2^32, by Horner's
// rule with an odd factor: every step is a bijection of the state, and takes a multiplication that adds. The object
// lies at a multiple of 4, and `bytes` is one. O(bytes).
inline constexpr std::uint32_t kSealOfNothing = 0x811C'9DC5U;
[[nodiscard]] std::uint32_t seal_of(ByteSpan object, std::size_t bytes, std::uint32_t before) noexcept;

}  // namespace pianola
