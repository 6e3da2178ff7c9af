// The global timer of a Cortex-A9 cluster: 64 bits, one count per microsecond.
//
// The time of boards with this core. The board says which clock it divides.
#pragma once

#include <cstdint>

namespace pianola::arm_a {

// Where the cluster's private peripherals lie, and what their clock divides to 1 MHz with: at most 256 MHz.
struct GlobalTimer {
    std::uintptr_t base{0U};
    std::uint32_t clock_mhz{0U};
};

// Once, at start-up. The timer counts from 0.
void start_global_timer(const GlobalTimer& timer) noexcept;

[[nodiscard]] std::uint64_t global_timer_us(const GlobalTimer& timer) noexcept;

}  // namespace pianola::arm_a
