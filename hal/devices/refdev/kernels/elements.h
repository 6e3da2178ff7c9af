// Elements of tensors whose type an argument word chooses.
//
// Operands are bytes; a longer element is read and written by memcpy, because the host may see device memory at any
// alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::refdev {

// For kernels that are not quantised; 0 for a word that is none of their types.
[[nodiscard]] constexpr std::uint32_t type_bytes(std::uint32_t type) noexcept {
    if (type == kTypeInt8) {
        return sizeof(std::int8_t);
    }
    return (type == kTypeInt32) ? static_cast<std::uint32_t>(sizeof(std::int32_t)) : 0U;
}

[[nodiscard]] constexpr bool is_aligned(std::uint32_t address, std::uint32_t type) noexcept {
    return (type != kTypeInt32) || ((address % sizeof(std::int32_t)) == 0U);
}

// For kernels that rescale, with element types int8, int16 and int32; 0 for a word that is none of them.
[[nodiscard]] constexpr std::uint32_t rescaled_bytes(std::uint32_t type) noexcept {
    return (type == kTypeInt16) ? static_cast<std::uint32_t>(sizeof(std::int16_t)) : type_bytes(type);
}

// For kernels that move elements of any type.
[[nodiscard]] constexpr bool is_element_size(std::uint32_t size_bytes) noexcept {
    return (size_bytes == sizeof(std::int8_t)) || (size_bytes == sizeof(std::int16_t)) ||
           (size_bytes == sizeof(std::int32_t));
}

// Whether the address is a multiple of the size, which is a power of two.
[[nodiscard]] constexpr bool is_aligned_to(std::uint32_t address, std::uint32_t element_bytes) noexcept {
    return (address & (element_bytes - 1U)) == 0U;
}

// Range of an integer of that many bits.
template <typename Element>
[[nodiscard]] constexpr bool holds(std::int32_t lowest, std::int32_t highest) noexcept {
    return (lowest >= std::numeric_limits<Element>::min()) && (highest <= std::numeric_limits<Element>::max());
}

// Range of int8 and int16; every pair of 32-bit numbers for any other type.
[[nodiscard]] constexpr bool type_holds(std::uint32_t type, std::int32_t lowest, std::int32_t highest) noexcept {
    if (type == kTypeInt8) {
        return holds<std::int8_t>(lowest, highest);
    }
    return (type != kTypeInt16) || holds<std::int16_t>(lowest, highest);
}

// Element `index` of a tensor of Element.
template <typename Element>
[[nodiscard]] inline std::int32_t load_element(const std::int8_t* tensor, std::size_t index) noexcept {
    Element element{};
    std::memcpy(&element, tensor + (index * sizeof(Element)), sizeof(Element));
    return element;
}

// `value` fits.
template <typename Element>
inline void store_element(std::int8_t* tensor, std::size_t index, std::int32_t value) noexcept {
    const Element element = static_cast<Element>(value);
    std::memcpy(tensor + (index * sizeof(Element)), &element, sizeof(Element));
}

}  // namespace pianola::refdev
