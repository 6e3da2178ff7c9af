// The exchange: a program of copies and fills on two queues that wait for each other, and what it means.
//
// Shared by the tests on the host and on the board.
#pragma once

#include <cstdint>

#include "pianola/span.h"

namespace pianola::test {

inline constexpr std::uint32_t kExchangeInput = 4096U;
inline constexpr std::uint32_t kExchangeHalf = kExchangeInput / 2U;
inline constexpr std::uint32_t kExchangeFilled = 64U;
inline constexpr std::uint32_t kExchangePattern = 0xA5C3'1E87U;
inline constexpr std::uint32_t kExchangeGap = 4U;    // zeros
inline constexpr std::uint32_t kExchangeOddAt = 1U;  // of the input: addresses that share no factor
inline constexpr std::uint32_t kExchangeOdd = 37U;
inline constexpr std::uint32_t kExchangeTail = 7U;
inline constexpr std::uint32_t kExchangeMiddle = kExchangeInput + kExchangeFilled;  // what queue 1 hands to queue 0
inline constexpr std::uint32_t kExchangeOddOut = kExchangeMiddle + kExchangeHalf + kExchangeGap;
inline constexpr std::uint32_t kExchangeTailOut = kExchangeOddOut + kExchangeOdd;
inline constexpr std::uint32_t kExchangeOutput = kExchangeTailOut + kExchangeTail;

// Byte `at` of the output.
[[nodiscard]] inline std::uint8_t exchange_output(ByteSpan input, std::uint32_t at) noexcept {
    if (at < kExchangeHalf) {
        return input[at];
    }
    if (at < kExchangeInput) {
        return 0U;
    }
    if (at < kExchangeMiddle) {
        return static_cast<std::uint8_t>(kExchangePattern >> ((at % 4U) * 8U));
    }
    if (at < (kExchangeMiddle + kExchangeHalf)) {
        return input[(at - kExchangeMiddle) + kExchangeHalf];
    }
    if (at < kExchangeOddOut) {
        return 0U;
    }
    return (at < kExchangeTailOut) ? input[(at - kExchangeOddOut) + kExchangeOddAt] : input[at - kExchangeTailOut];
}

// Bytes of output that are not the program's.
[[nodiscard]] inline std::uint32_t exchange_errors(ByteSpan input, ByteSpan output) noexcept {
    std::uint32_t errors = 0U;
    for (std::uint32_t at = 0U; at < kExchangeOutput; ++at) {
        errors += (output[at] == exchange_output(input, at)) ? 0U : 1U;
    }
    return errors;
}

inline void fill_input(MutableByteSpan input, std::uint32_t seed) noexcept {
    std::uint32_t state = (seed * 2'654'435'761U) | 1U;
    for (std::uint8_t& byte : input) {
        state = (state * 1'664'525U) + 1'013'904'223U;
        byte = static_cast<std::uint8_t>(state >> 24U);
    }
}

}  // namespace pianola::test
