// Instructions of the M-profile without a C++ equivalent.
//
// Barriers, sleep and the interrupt mask, for hal/arch/arm_m and the boards built on it. Semantics: Armv7-M and Armv8-M
// Architecture Reference Manuals. Each is also a compiler barrier for memory accesses.
#pragma once

namespace pianola::arm_m {

// Every access of this core before it is seen by every other observer before any access after it. Enough to order two
// stores.
inline void data_memory_barrier() noexcept {
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile("dmb" ::: "memory");
}

// As above, and nothing after it is executed before all of them have completed. Needed before operations that are not
// memory accesses: sleep, a changed protection unit.
inline void data_synchronization_barrier() noexcept {
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile("dsb" ::: "memory");
}

// All later instructions are fetched again, so that they see changes of the core's configuration.
inline void instruction_synchronization_barrier() noexcept {
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile("isb" ::: "memory");
}

inline void disable_interrupts() noexcept {
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile("cpsid i" ::: "memory");
}

// The barrier ensures that interrupts which became pending have been handled when this returns.
inline void enable_interrupts() noexcept {
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile("cpsie i\n\tisb" ::: "memory");
}

// Sleeps until an interrupt is pending, also while interrupts are disabled: it is then handled once they are enabled
// again, so that none is lost between the caller's last check of its condition and the sleep. Stores must have left the
// core before it stops.
inline void wait_for_interrupt() noexcept {
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile("dsb\n\twfi" ::: "memory");
}

// A hint that other cores may run now. No effect on silicon; an emulator that runs all cores in one thread and counts
// instructions switches to the next core.
inline void yield() noexcept {
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile("yield" ::: "memory");
}

// No vector length is set, and no lane is predicated: what a reset leaves undefined. Only for cores with the vector
// extension.
inline void reset_vector_state() noexcept {
    constexpr std::uint32_t kWholeVectors = 4U << 16U;  // FPSCR.LTPSIZE
    // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
    __asm__ volatile(".arch_extension mve\n\tvmsr fpscr, %0\n\tvmsr p0, %1" ::"r"(kWholeVectors), "r"(0U) : "memory");
}

}  // namespace pianola::arm_m
