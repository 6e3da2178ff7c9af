// What the memory protection unit has refused.
//
// Defines the hook that applications owe to hal/arch/protection.h: a violation that nobody expects stops the core, one
// that a test expects is noted and skipped.
#pragma once

#include <cstdint>

namespace pianola::baremetal {

// Of one access that was made on purpose.
struct Refusal {
    bool refused{false};
    std::uintptr_t address{0U};  // as the core reported it
};

// Reads, or writes, one byte under protection.
[[nodiscard]] Refusal try_to_read(std::uintptr_t address) noexcept;
[[nodiscard]] Refusal try_to_write(std::uintptr_t address, std::uint8_t value) noexcept;

}  // namespace pianola::baremetal
