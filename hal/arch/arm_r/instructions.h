// Instructions and registers of a Cortex-R5 besides those of hal/arch/arm_ar.
//
// Names and numbers: "Cortex-R5
// Technical Reference Manual", Arm, revision r1p2, and the ARMv7-A/R architecture manual.
#pragma once

#include <cstdint>

#include "hal/arch/arm_ar/instructions.h"

namespace pianola::arm_r {

using arm_ar::SystemRegister;

// Orders memory accesses before it against those after it, for every core.
inline void data_memory_barrier() noexcept {
    asm volatile("dmb" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Sets the event register of every core of the cluster.
inline void send_event() noexcept {
    asm volatile("sev" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Clears this core's event register, or waits until it is set.
inline void wait_for_event() noexcept {
    asm volatile("wfe" ::: "memory");  // NOLINT(hicpp-no-assembler): DEV-031
}

// Identity.
using Mpuir = SystemRegister<0U, 0U, 0U, 4U>;  // bits 8-15: regions of the protection unit
using Mpidr = SystemRegister<0U, 0U, 0U, 5U>;  // bit 0: which core of the pair

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
