// The short form of requantisation (requantisation.h) of sums that are doubled: the rounded high half of a product and
// the nudge in one instruction.
#pragma once

#include <cstdint>

namespace pianola::refdev {

// The element of a doubled sum; `nudge` is the rounding and the output's zero point.
[[nodiscard]] inline std::int32_t doubled_to_int8(std::int32_t sum, std::int32_t multiplier, std::int32_t nudge,
                                                  std::uint32_t bits) noexcept {
    std::int32_t element = 0;
    __asm__(
        "add %[element], %[nudge], %[sum], asr #31\n\t"
        "smmlar %[element], %[sum], %[multiplier], %[element]\n\t"
        "asr %[element], %[element], %[bits]\n\t"
        "ssat %[element], #8, %[element]"
        : [element] "=&r"(element)
        : [nudge] "r"(nudge), [sum] "r"(sum), [multiplier] "r"(multiplier), [bits] "r"(bits));
    return element;
}

// Defined for any distance.
[[nodiscard]] inline std::int32_t shifted_left(std::int32_t value, std::uint32_t bits) noexcept {
    std::int32_t result = 0;
    __asm__("lsl %[result], %[value], %[bits]" : [result] "=r"(result) : [value] "r"(value), [bits] "r"(bits));
    return result;
}

}  // namespace pianola::refdev
