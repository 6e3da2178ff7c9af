// are_equal(): whether memory holds the same bytes twice.
//
// Place in the whole: what a verified release does for most of its time. A file of its own, because compilers for small
// cores need options to make the most of it (runtime/CMakeLists.txt).
#pragma once

#include "pianola/span.h"

namespace pianola {

// What is compared at a time: sizes that are multiples of it are compared by words to their end.
inline constexpr std::size_t kComparedBytes = 64U;

// Whether words can be loaded from there.
[[nodiscard]] bool is_aligned(const std::uint8_t* place) noexcept;

// Sizes are equal, and what is held is aligned. By words where both are: C libraries for small cores compare byte by
// byte.
[[nodiscard]] bool are_equal(ByteSpan held, ByteSpan expected) noexcept;

}  // namespace pianola
