// Device memory is bytes, tensors are int8: these two functions convert between them.
#pragma once

#include <cstdint>

namespace pianola::refdev {

[[nodiscard]] inline const std::int8_t* tensor_of(const std::uint8_t* bytes) noexcept {
    return reinterpret_cast<const std::int8_t*>(bytes);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): DEV-021
}

[[nodiscard]] inline std::int8_t* tensor_of(std::uint8_t* bytes) noexcept {
    return reinterpret_cast<std::int8_t*>(bytes);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): DEV-021
}

}  // namespace pianola::refdev
