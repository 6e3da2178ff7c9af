// Counters of a Cortex-R5's performance monitor: time that does not wrap, and exact cycles over short stretches.
//
// A core of this family has no private timer. Each core counts separately, from its start_counters() on. QEMU counts
// nanoseconds of its virtual clock in both; with -icount shift=0 that is one per instruction, of all cores together.
#pragma once

#include <cstdint>

namespace pianola::arm_r {

inline constexpr std::uint32_t kCyclesPerTick = 64U;

// Once per core, at start-up.
void start_counters() noexcept;

// Ticks of kCyclesPerTick cycles since start_counters(), 48 bits. Must be called at least once per 2^32 ticks, which
// are 275 seconds at 1 GHz; otherwise those are lost, and time is late but still monotonic.
[[nodiscard]] std::uint64_t ticks() noexcept;

// Cycles since start_counters(), modulo 2^32. Differences are exact.
[[nodiscard]] std::uint32_t cycles() noexcept;

}  // namespace pianola::arm_r
