// footprint_agrees(): compares a stated size with sizeof on 32-bit cores.
//
// The sources of the classes assert with it. Checks nothing where pointers have another size, or where numbers of 64
// bits are aligned to 4 bytes, as on 32-bit x86.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pianola {

struct FootprintProbe {
    std::uint32_t word;
    std::uint64_t number;
};
inline constexpr bool kFootprintsApply = (sizeof(void*) == 4U) && (sizeof(FootprintProbe) == 16U);

// True; a difference does not compile, and the compiler's message shows both numbers.
template <std::size_t kFound, std::uint32_t kStated>
[[nodiscard]] constexpr bool footprint_agrees() noexcept {
    static_assert(!kFootprintsApply || (kFound == kStated),
                  "out of date: write the number that was found (kFound) in place of the stated one");
    return true;
}

}  // namespace pianola
