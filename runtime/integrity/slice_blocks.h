// The inner loop of SliceSum. Which file has it depends on the core: slice_blocks.cpp, or arm/slice_blocks.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "pianola/slice_check.h"

namespace pianola {

inline constexpr std::uint32_t kBlockWords = SliceSum::kBlockBytes / sizeof(std::uint32_t);

// The first words of the constants of SHA-256 (FIPS 180-4, 4.2.2), made odd: fixed numbers without a pattern.
inline constexpr std::array<std::uint32_t, kBlockWords> kSliceKeys{
    0x428A'2F99U, 0x7137'4491U, 0xB5C0'FBCFU, 0xE9B5'DBA5U, 0x3956'C25BU, 0x59F1'11F1U, 0x923F'82A5U, 0xAB1C'5ED5U,
    0xD807'AA99U, 0x1283'5B01U, 0x2431'85BFU, 0x550C'7DC3U, 0x72BE'5D75U, 0x80DE'B1FFU, 0x9BDC'06A7U, 0xC19B'F175U};
inline constexpr std::uint32_t kSliceFactor = 0x9E37'79B1U;  // odd; the golden ratio of 2^32

// Adds whole blocks, at an address that is a multiple of 4.
[[nodiscard]] std::uint64_t add_blocks(std::uint64_t sum, const std::uint8_t* blocks, std::size_t count) noexcept;

}  // namespace pianola
