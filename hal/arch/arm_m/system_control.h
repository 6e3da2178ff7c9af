// Addresses and bits in the private peripheral bus, which are the same on every M-profile core.
//
// Constants for hal/arch/arm_m and the boards built on it. Names are those of the Armv7-M and Armv8-M Architecture
// Reference Manuals. Each core has its own; they are accessible under every setting of the protection unit.
#pragma once

#include <cstdint>

namespace pianola::arm_m {

// System control block.
inline constexpr std::uintptr_t kIcsr = 0xE000'ED04U;
inline constexpr std::uint32_t kIcsrPendStSet = 1U << 26U;  // SysTick has wrapped and its handler has not run yet
inline constexpr std::uintptr_t kCcr = 0xE000'ED14U;
inline constexpr std::uint32_t kCcrDataCacheEnabled = 1U << 16U;
inline constexpr std::uintptr_t kCfsr = 0xE000'ED28U;
inline constexpr std::uint32_t kCfsrDataAccessViolation = 1U << 1U;
inline constexpr std::uint32_t kCfsrMmfarValid = 1U << 7U;
inline constexpr std::uint32_t kCfsrMemManageBits = 0xFFU;
inline constexpr std::uint32_t kCfsrBfarValid = 1U << 15U;
inline constexpr std::uintptr_t kMmfar = 0xE000'ED34U;
inline constexpr std::uintptr_t kBfar = 0xE000'ED38U;

// SysTick.
inline constexpr std::uintptr_t kSystCsr = 0xE000'E010U;
inline constexpr std::uint32_t kSystCsrEnable = 1U << 0U;
inline constexpr std::uint32_t kSystCsrTickInt = 1U << 1U;
inline constexpr std::uint32_t kSystCsrProcessorClock = 1U << 2U;
inline constexpr std::uintptr_t kSystRvr = 0xE000'E014U;
inline constexpr std::uintptr_t kSystCvr = 0xE000'E018U;

// Interrupt controller; one bit per interrupt, interrupts 0 to 31.
inline constexpr std::uintptr_t kNvicIser0 = 0xE000'E100U;
inline constexpr std::uintptr_t kNvicIcer0 = 0xE000'E180U;

// Memory protection unit; the registers that PMSAv7 and PMSAv8 have in common.
inline constexpr std::uintptr_t kMpuType = 0xE000'ED90U;
inline constexpr std::uint32_t kMpuTypeRegionsShift = 8U;
inline constexpr std::uint32_t kMpuTypeRegionsMask = 0xFFU;
inline constexpr std::uintptr_t kMpuCtrl = 0xE000'ED94U;
// Only this bit: without PRIVDEFENA, so that memory without a region is refused to privileged code too; without
// HFNMIENA, so that the HardFault handler can always report.
inline constexpr std::uint32_t kMpuCtrlEnable = 1U << 0U;
inline constexpr std::uintptr_t kMpuRnr = 0xE000'ED98U;
inline constexpr std::uintptr_t kMpuRbar = 0xE000'ED9CU;

// Data cache maintenance by address; writing an address acts on the line that holds it.
inline constexpr std::uintptr_t kDccmvac = 0xE000'EF68U;   // clean
inline constexpr std::uintptr_t kDccimvac = 0xE000'EF70U;  // clean and invalidate

// Access to the FPU's registers, which the vector extension shares, and their handling by exceptions.
inline constexpr std::uintptr_t kCpacr = 0xE000'ED88U;
inline constexpr std::uint32_t kCpacrVectorUnit = 0xFU << 20U;  // full access to CP10 and CP11
inline constexpr std::uintptr_t kFpccr = 0xE000'EF34U;
inline constexpr std::uint32_t kFpccrSavesRegisters = 3U << 30U;  // ASPEN, LSPEN

}  // namespace pianola::arm_m
