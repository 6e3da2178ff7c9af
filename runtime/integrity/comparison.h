// are_equal(): compares two byte ranges.
//
// A verified release spends most of its time here. A separate file, because compilers for small cores need special
// options for it (runtime/CMakeLists.txt).
#pragma once

#include "pianola/span.h"

namespace pianola {

// Unit of comparison: sizes that are multiples of it are compared entirely by words.
inline constexpr std::size_t kComparedBytes = 64U;

// Whether words can be loaded from this address.
[[nodiscard]] bool is_aligned(const std::uint8_t* place) noexcept;

// Sizes must be equal, and `held` aligned. Compares by words if both are aligned: C libraries for small cores compare
// byte by byte.
[[nodiscard]] bool are_equal(ByteSpan held, ByteSpan expected) noexcept;

}  // namespace pianola
