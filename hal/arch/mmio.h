// Registers of a machine, by address.
//
// The only place that converts a number to a register; hal/arch and the boards read and write through it. Every call is
// one access of 32 bits, in program order; if another core must see this order, add a barrier.
#pragma once

#include <cstdint>

namespace pianola::mmio {

[[nodiscard]] inline std::uint32_t read(std::uintptr_t address) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast, performance-no-int-to-ptr): DEV-030
    return *reinterpret_cast<const volatile std::uint32_t*>(address);
}

inline void write(std::uintptr_t address, std::uint32_t value) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast, performance-no-int-to-ptr): DEV-030
    *reinterpret_cast<volatile std::uint32_t*>(address) = value;
}

}  // namespace pianola::mmio
