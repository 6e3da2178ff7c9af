// Shared by the two generations of the M-profile's protection unit.
//
// Only for pmsav7_m.cpp and pmsav8_m.cpp.
#pragma once

#include <cstdint>

#include "hal/arch/arm_m/instructions.h"
#include "hal/arch/arm_m/system_control.h"
#include "hal/arch/mmio.h"

namespace pianola::arm_m {

[[nodiscard]] inline std::uint32_t mpu_regions() noexcept {
    return (mmio::read(kMpuType) >> kMpuTypeRegionsShift) & kMpuTypeRegionsMask;
}

// While the unit is off the default memory map applies: interrupts are not restricted meanwhile.
inline void disable_mpu() noexcept {
    data_memory_barrier();  // earlier accesses are checked by the old regions
    mmio::write(kMpuCtrl, 0U);
}

inline void enable_mpu() noexcept {
    data_synchronization_barrier();  // the regions are complete
    mmio::write(kMpuCtrl, kMpuCtrlEnable);
    data_synchronization_barrier();         // the unit is on
    instruction_synchronization_barrier();  // the next instruction is already fetched under it
}

}  // namespace pianola::arm_m
