// The global timer of a Cortex-A9 cluster: 64 bits, one count per microsecond.
//
// The clock of boards with this core. The board gives the input frequency.
#pragma once

#include <cstdint>

namespace pianola::arm_a {

// Address of the cluster's private peripherals, and the divisor of their clock to 1 MHz: at most 256 MHz.
struct GlobalTimer {
    std::uintptr_t base{0U};
    std::uint32_t clock_mhz{0U};
};

// Once, at start-up. The timer counts from 0.
void start_global_timer(const GlobalTimer& timer) noexcept;

[[nodiscard]] std::uint64_t global_timer_us(const GlobalTimer& timer) noexcept;

}  // namespace pianola::arm_a
