// Seeded preemption: makes harts pause at moments that a seed decides.
//
// Place in the whole: tests of this board only. An emulator that counts instructions repeats one interleaving of the
// harts for ever; with a seed for each run, a test sees as many interleavings as it wants, and each of them again. An
// alarm interrupts a hart anywhere, the handler sleeps for one tick of the clock, during which others run, and sets the
// next alarm; on the ECU core, which must not call wait_for_signal() meanwhile either, it sets the next alarm only.
#pragma once

#include <cstdint>

namespace pianola::virt_rv32 {

// ECU core: from now on harts 0 to 2 pause, each at intervals of 1 to `longest_interval_ticks` ticks of the clock (10
// per microsecond), which must be at most 65535.
void start_preemption(std::uint32_t seed, std::uint32_t longest_interval_ticks) noexcept;

// Pauses since start-up, of all harts together.
[[nodiscard]] std::uint32_t pauses() noexcept;

}  // namespace pianola::virt_rv32
