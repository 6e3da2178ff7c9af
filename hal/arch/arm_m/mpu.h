// What the two generations of the M-profile's protection unit have in common.
//
// Place in the whole: for pmsav7_m.cpp and pmsav8_m.cpp only.
#pragma once

#include <cstdint>

#include "hal/arch/arm_m/instructions.h"
#include "hal/arch/arm_m/system_control.h"
#include "hal/arch/mmio.h"

namespace pianola::arm_m {

[[nodiscard]] inline std::uint32_t mpu_regions() noexcept {
    return (mmio::read(kMpuType) >> kMpuTypeRegionsShift) & kMpuTypeRegionsMask;
}

// While the unit is off the default memory map applies: whatever an interrupt does meanwhile is permitted.
inline void disable_mpu() noexcept {
    data_memory_barrier();  // accesses so far are judged by the old regions
    mmio::write(kMpuCtrl, 0U);
}

inline void enable_mpu() noexcept {
    data_synchronization_barrier();  // the regions are complete
    mmio::write(kMpuCtrl, kMpuCtrlEnable);
    data_synchronization_barrier();         // the unit is on
    instruction_synchronization_barrier();  // and the next instruction is already fetched under it
}

}  // namespace pianola::arm_m
