// FootprintCheck: compares a stated size with sizeof on 32-bit cores.
//
// The footprint.cpp files assert with it. Checks nothing on cores with other pointer sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pianola {

inline constexpr std::uint32_t kFootprintPointerBytes = 4U;

// True; a difference does not compile, and the compiler's message shows both numbers.
template <std::size_t kFound, std::uint32_t kStated>
[[nodiscard]] constexpr bool footprint_agrees() noexcept {
    static_assert((sizeof(void*) != kFootprintPointerBytes) || (kFound == kStated),
                  "out of date: write the number that was found (kFound) into the footprint.h beside this file");
    return true;
}

}  // namespace pianola
