// The core-local interruptor of the machine: doorbells between harts, one clock for all of them, and an alarm for each.
//
// This board only. Addresses: "RISC-V Advanced Core Local Interruptor Specification", which keeps the layout of
// SiFive's CLINT; the base and the clock's rate are the machine's.
#pragma once

#include <cstdint>

#include "hal/arch/mmio.h"

namespace pianola::virt_rv32 {

inline constexpr std::uintptr_t kClint = 0x0200'0000U;
inline constexpr std::uintptr_t kMtimecmp = kClint + 0x4000U;
inline constexpr std::uintptr_t kMtime = kClint + 0xBFF8U;
inline constexpr std::uint32_t kTicksPerUs = 10U;

inline void ring_doorbell(std::uint32_t hart) noexcept {
    mmio::write(kClint + (4U * hart), 1U);
}
inline void clear_doorbell(std::uint32_t hart) noexcept {
    mmio::write(kClint + (4U * hart), 0U);
}

// Ticks since reset. The upper half is read on both sides of the lower one, which may wrap in between; it wraps once in
// seven minutes, so the second attempt always succeeds.
[[nodiscard]] inline std::uint64_t ticks() noexcept {
    const std::uint32_t upper = mmio::read(kMtime + 4U);
    const std::uint32_t lower = mmio::read(kMtime);
    const std::uint32_t upper_again = mmio::read(kMtime + 4U);
    const std::uint32_t valid_lower = (upper_again == upper) ? lower : mmio::read(kMtime);
    return (static_cast<std::uint64_t>(upper_again) << 32U) | valid_lower;
}

// Time at which a hart's timer interrupt becomes pending; it stays pending until the alarm is set to a later time.
[[nodiscard]] inline std::uint64_t alarm(std::uint32_t hart) noexcept {
    const std::uintptr_t address = kMtimecmp + (8U * hart);
    return (static_cast<std::uint64_t>(mmio::read(address + 4U)) << 32U) | mmio::read(address);
}
// The upper half is first set to its maximum, so that no alarm is raised between the writes of the two halves.
inline void set_alarm(std::uint32_t hart, std::uint64_t ticks) noexcept {
    const std::uintptr_t address = kMtimecmp + (8U * hart);
    mmio::write(address + 4U, UINT32_MAX);
    mmio::write(address, static_cast<std::uint32_t>(ticks));
    mmio::write(address + 4U, static_cast<std::uint32_t>(ticks >> 32U));
}

}  // namespace pianola::virt_rv32
