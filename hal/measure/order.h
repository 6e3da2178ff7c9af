// Order: what the measuring image is to measure. It lies before the binary in the board's memory.
//
// Words are little-endian. Order, binary and inputs each begin at a multiple of 64 bytes; the inputs of one step follow
// one another without gaps. docs/guide/measure.md is the page on it.
#pragma once

#include <cstdint>

namespace pianola::measure {

inline constexpr std::uint32_t kOrderMagic = 0x5253'4D50U;  // "PMSR"
inline constexpr std::uint32_t kOrderVersion = 1U;
inline constexpr std::uint32_t kOrderBytes = 64U;

// Bits of Order::flags.
inline constexpr std::uint32_t kCountedOutside = 1U;  // by what watches the markers: the image prints no counts
inline constexpr std::uint32_t kTransfers = 2U;  // the device's queues move inputs and outputs, also where views do

struct Order {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint32_t file_bytes;
    std::uint32_t input_bytes;  // of one step, or 0: inputs are zeros
    std::uint32_t steps;        // with each release; at least 1
    std::uint32_t flags;
};
static_assert(sizeof(Order) <= kOrderBytes);

}  // namespace pianola::measure
