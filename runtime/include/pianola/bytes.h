// Fixed-endian integers in byte views.
//
// The only place that converts bytes to integers, independent of the core's byte order and alignment rules.
#pragma once

#include <cstdint>
#include <cstring>

#include "pianola/span.h"

namespace pianola {

[[nodiscard]] inline bool is_word_aligned(const std::uint8_t* place) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return (reinterpret_cast<std::uintptr_t>(place) % sizeof(std::uint32_t)) == 0U;
}

// Loads the word at an address that is a multiple of 4 in one instruction; a compiler for a core without unaligned
// loads would load bytes. Only for comparing and summing: the byte order is the core's.
[[nodiscard]] inline std::uint32_t load_aligned_word(const std::uint8_t* aligned) noexcept {
    std::uint32_t word = 0U;
    // NOLINTNEXTLINE(pianola-misra-4.1.1): DEV-071
    std::memcpy(&word, __builtin_assume_aligned(aligned, sizeof(word)), sizeof(word));
    return word;
}

// The caller has checked that [offset, offset + 4) lies inside.
[[nodiscard]] constexpr std::uint32_t load_le32(ByteSpan bytes, std::size_t offset) noexcept {
    return static_cast<std::uint32_t>(bytes[offset]) | (static_cast<std::uint32_t>(bytes[offset + 1U]) << 8U) |
           (static_cast<std::uint32_t>(bytes[offset + 2U]) << 16U) |
           (static_cast<std::uint32_t>(bytes[offset + 3U]) << 24U);
}

constexpr void store_le32(MutableByteSpan bytes, std::size_t offset, std::uint32_t value) noexcept {
    bytes[offset] = static_cast<std::uint8_t>(value);
    bytes[offset + 1U] = static_cast<std::uint8_t>(value >> 8U);
    bytes[offset + 2U] = static_cast<std::uint8_t>(value >> 16U);
    bytes[offset + 3U] = static_cast<std::uint8_t>(value >> 24U);
}

}  // namespace pianola
