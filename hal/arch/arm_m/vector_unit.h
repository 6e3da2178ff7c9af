// The vector extension of Armv8.1-M, enabled for code that shares it with no exception handler.
//
// For boards whose kernels use it. Everything else is compiled without it (the core's toolchain file), so exceptions
// need not save its registers: their frames stay eight words, on stacks that are bounded for that. An integrator's
// handlers must be compiled in the same way, and without LE loops, which would use the interrupted vector length.
#pragma once

#include "hal/arch/arm_m/instructions.h"
#include "hal/arch/arm_m/system_control.h"
#include "hal/arch/mmio.h"

namespace pianola::arm_m {

// Before interrupts are enabled.
inline void enable_vector_unit() noexcept {
    mmio::write(kFpccr, mmio::read(kFpccr) & ~kFpccrSavesRegisters);
    mmio::write(kCpacr, mmio::read(kCpacr) | kCpacrVectorUnit);
    data_synchronization_barrier();
    instruction_synchronization_barrier();
    reset_vector_state();
}

}  // namespace pianola::arm_m
