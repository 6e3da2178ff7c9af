// FootprintCheck: compares a stated size with sizeof on 32-bit cores.
//
// The sources of the classes assert with it. Checks nothing on cores with other pointer sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pianola {

inline constexpr std::uint32_t kFootprintPointerBytes = 4U;

// True; a difference does not compile, and the compiler's message shows both numbers.
template <std::size_t kFound, std::uint32_t kStated>
[[nodiscard]] constexpr bool footprint_agrees() noexcept {
    static_assert((sizeof(void*) != kFootprintPointerBytes) || (kFound == kStated),
                  "out of date: write the number that was found (kFound) in place of the stated one");
    return true;
}

}  // namespace pianola
