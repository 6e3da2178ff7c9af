// Seeded preemption: cores give way to one another at moments that a seed decides.
//
// hal/boards/<board>/tests/preemption.cpp implements it where cores run side by side, preemption_none.cpp elsewhere.
#pragma once

#include <cstdint>

namespace pianola::baremetal {

// ECU core: from now on.
void start_preemption(std::uint32_t seed) noexcept;

// Whether the calling core may sleep in board::wait_for_signal(). Where all cores sleep at once, the emulator's own
// threads decide how the run goes on, and it does not come again: the ECU core stays awake once preemption has started.
[[nodiscard]] bool may_sleep() noexcept;

// How often cores have given way since start-up, as far as the board counts it.
[[nodiscard]] std::uint32_t preemptions() noexcept;

// A moment at which a core may give way that nothing interrupts: behind a command of a queue, or the ECU core's look at
// the device.
void may_give_way(std::uint32_t queue) noexcept;
inline constexpr std::uint32_t kEcuCoreLooks = 2U;  // instead of a queue

}  // namespace pianola::baremetal
