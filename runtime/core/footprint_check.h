// FootprintCheck: holds a stated size to the compiler's own on 32-bit cores.
//
// Place in the whole: what the footprint.cpp files assert with. Says nothing on cores with other pointers, where sizes
// differ.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pianola {

inline constexpr std::uint32_t kFootprintPointerBytes = 4U;

// True, or does not compile; the compiler's message then shows both numbers.
template <std::size_t kFound, std::uint32_t kStated>
[[nodiscard]] constexpr bool footprint_agrees() noexcept {
    static_assert((sizeof(void*) != kFootprintPointerBytes) || (kFound == kStated),
                  "out of date: write the number that was found (kFound) into the footprint.h beside this file");
    return true;
}

}  // namespace pianola
