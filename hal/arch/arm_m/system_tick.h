// The ECU core's clock: SysTick, with an interrupt every millisecond.
//
// Implements now_us() of the Cortex-M boards. SysTick counts 24 bits down; the interrupt carries the rest. Interrupts
// must not be disabled for a millisecond or more: one tick can be pending, a second is lost.
#pragma once

#include <cstdint>

namespace pianola::arm_m {

inline constexpr std::uint32_t kTickUs = 1000U;

// Once, at start-up. ticks_per_us: processor clock in MHz.
void start_tick(std::uint32_t ticks_per_us) noexcept;

// Microseconds since start_tick(), with the same ticks_per_us. Also right while interrupts are disabled.
[[nodiscard]] std::uint64_t tick_now_us(std::uint32_t ticks_per_us) noexcept;

}  // namespace pianola::arm_m

// SysTick's handler, for the vector table.
extern "C" void pianola_tick() noexcept;
