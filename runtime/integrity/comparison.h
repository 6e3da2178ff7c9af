// are_equal(): compares two byte ranges, by words: C libraries for small cores compare byte by byte.
//
// A separate file, because compilers for small cores need special options for it (runtime/CMakeLists.txt).
#pragma once

#include "pianola/span.h"

namespace pianola {

// Unit of comparison: sizes that are multiples of it are compared entirely by words.
inline constexpr std::size_t kComparedBytes = 64U;

// Whether words can be loaded from this address.
[[nodiscard]] bool is_aligned(const std::uint8_t* place) noexcept;

// Sizes must be equal, and both aligned.
[[nodiscard]] bool are_equal(ByteSpan held, ByteSpan expected) noexcept;

}  // namespace pianola
