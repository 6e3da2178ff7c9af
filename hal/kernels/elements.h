// Elements of tensors that are not quantised: int8 or int32, chosen by an argument word.
//
// Place in the whole: shared by the kernels that take a type. Operands are bytes; an int32 element is read and written
// by memcpy, because the host may see device memory at any alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hal/kernels/arguments.h"

namespace pianola::refdev {

// 0 for a word that is no type.
[[nodiscard]] constexpr std::uint32_t type_bytes(std::uint32_t type) noexcept {
    if (type == kTypeInt8) {
        return sizeof(std::int8_t);
    }
    return (type == kTypeInt32) ? static_cast<std::uint32_t>(sizeof(std::int32_t)) : 0U;
}

[[nodiscard]] constexpr bool is_aligned(std::uint32_t address, std::uint32_t type) noexcept {
    return (type != kTypeInt32) || ((address % sizeof(std::int32_t)) == 0U);
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
