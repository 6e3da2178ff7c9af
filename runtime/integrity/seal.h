// Seal: a number by which an object is known to be as it was left.
//
// Place in the whole: between two calls of a session its state lies in RAM, where a bit may flip. The session seals it
// when a call ends, and looks at the seal when the next one begins.
#pragma once

#include <cstdint>

#include "pianola/span.h"

namespace pianola {

// Of the first `bytes` of an object, and what `before` is the seal of; of nothing more than that where the object has
// fewer. A different number for any two contents of one size that differ in one 32-bit word only, which every single
// bit is in; for others with a chance of 2^-32 to be equal. FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923) over
// words instead of bytes: every step is a bijection of the state. The object lies at a multiple of 4, and `bytes` is
// one. O(bytes).
inline constexpr std::uint32_t kSealOfNothing = 0x811C'9DC5U;
[[nodiscard]] std::uint32_t seal_of(ByteSpan object, std::size_t bytes, std::uint32_t before) noexcept;

}  // namespace pianola
