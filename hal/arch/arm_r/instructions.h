// Instructions of a Cortex-R5 without a C++ equivalent: barriers, hints, and coprocessor 15, through which the core is
// controlled.
//
// The only inline assembler of this architecture; longer sequences are in start.S. Names and numbers: "Cortex-R5
// Technical Reference Manual", Arm, revision r1p2, and the ARMv7-A/R architecture manual.
#pragma once

#include <atomic>
#include <cstdint>

namespace pianola::arm_r {

// Orders memory accesses before it against those after it, for every core.
inline void data_memory_barrier() noexcept {
    asm volatile("dmb" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Waits until earlier memory accesses and cache maintenance are complete, so that a later signal cannot overtake them.
inline void data_synchronisation_barrier() noexcept {
    asm volatile("dsb" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Fetches and decodes the following instructions again, under the registers that were written before it.
inline void instruction_synchronisation_barrier() noexcept {
    asm volatile("isb" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Sets the event register of every core of the cluster.
inline void send_event() noexcept {
    asm volatile("sev" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Clears this core's event register, or waits until it is set.
inline void wait_for_event() noexcept {
    asm volatile("wfe" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// A hint that others may run: no effect on silicon; an emulator that runs its cores in turn switches to the next one.
inline void yield() noexcept {
    asm volatile("yield" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// One register of coprocessor 15, by the numbers in MRC and MCR. The compiler moves no memory access across it.
template <std::uint32_t kOpcode1, std::uint32_t kCrn, std::uint32_t kCrm, std::uint32_t kOpcode2>
struct SystemRegister {
    [[nodiscard]] static std::uint32_t read() noexcept {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        // NOLINTNEXTLINE(pianola-misra-4.1.1): DEV-071
        const auto value = static_cast<std::uint32_t>(__builtin_arm_mrc(kCoprocessor, kOpcode1, kCrn, kCrm, kOpcode2));
        std::atomic_signal_fence(std::memory_order_seq_cst);
        return value;
    }

    static void write(std::uint32_t value) noexcept {
        // Not the builtin: compilers do not agree on the type of its value.
        // NOLINTNEXTLINE(hicpp-no-assembler): DEV-031
        asm volatile("mcr p%c0, %c1, %2, c%c3, c%c4, %c5" ::"i"(kCoprocessor), "i"(kOpcode1), "r"(value), "i"(kCrn),
                     "i"(kCrm), "i"(kOpcode2)
                     : "memory");
    }

  private:
    static constexpr std::uint32_t kCoprocessor = 15U;
};

// Identity.
using Mpuir = SystemRegister<0U, 0U, 0U, 4U>;  // bits 8-15: regions of the protection unit
using Mpidr = SystemRegister<0U, 0U, 0U, 5U>;  // bit 0: which core of the pair

// Control.
using Sctlr = SystemRegister<0U, 1U, 0U, 0U>;

// Faults.
using Dfsr = SystemRegister<0U, 5U, 0U, 0U>;  // why data were refused
using Ifsr = SystemRegister<0U, 5U, 0U, 1U>;  // why an instruction was refused
using Dfar = SystemRegister<0U, 6U, 0U, 0U>;  // which data

// Protection unit: Rgnr selects the region that the other three access.
using Drbar = SystemRegister<0U, 6U, 1U, 0U>;
using Drsr = SystemRegister<0U, 6U, 1U, 2U>;
using Dracr = SystemRegister<0U, 6U, 1U, 4U>;
using Rgnr = SystemRegister<0U, 6U, 2U, 0U>;

// Maintenance of the data cache, by an address in the line.
using Dcimvac = SystemRegister<0U, 7U, 6U, 1U>;    // invalidate the line
using Dccmvac = SystemRegister<0U, 7U, 10U, 1U>;   // clean: write modified data to memory
using Dccimvac = SystemRegister<0U, 7U, 14U, 1U>;  // both, in this order

// Performance monitors. Pmselr selects the event counter that Pmxevtyper and Pmxevcntr show.
using Pmcr = SystemRegister<0U, 9U, 12U, 0U>;
using Pmcntenset = SystemRegister<0U, 9U, 12U, 1U>;
using Pmselr = SystemRegister<0U, 9U, 12U, 5U>;
using Pmccntr = SystemRegister<0U, 9U, 13U, 0U>;
using Pmxevtyper = SystemRegister<0U, 9U, 13U, 1U>;
using Pmxevcntr = SystemRegister<0U, 9U, 13U, 2U>;

// A register for software; the core does not use it.
using Tpidrprw = SystemRegister<0U, 13U, 0U, 4U>;

// Which core of the pair this is.
[[nodiscard]] inline std::uint32_t core_number() noexcept {
    return Mpidr::read() & 1U;
}

}  // namespace pianola::arm_r
