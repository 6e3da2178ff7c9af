// PMSAv7 of the M-profile: Cortex-M7. Regions are powers of two and lie on multiples of their size.
//
// The private peripheral bus, with SysTick, interrupt controller and this unit, is always accessible; any other
// peripheral needs a window. One region per window; subregions are not used.
#include <cstddef>
#include <cstdint>

#include "hal/arch/arm_m/mpu.h"
#include "hal/arch/mmio.h"
#include "hal/arch/protection.h"
#include "hal/arch/window_check.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::protection {
namespace {

// RASR: attributes and size of the region that RNR selects.
constexpr std::uintptr_t kRasr = 0xE000'EDA0U;
constexpr std::uint32_t kEnable = 1U << 0U;
constexpr std::uint32_t kSizeShift = 1U;  // the region has 2^(field + 1) bytes

// Memory types. Shareable: coherent with other masters; a core with a data cache does not cache it.
constexpr std::uint32_t kWriteBack =
    (1U << 19U) | (1U << 17U) | (1U << 16U);  // TEX 1, C, B: normal, cached, allocated on write
constexpr std::uint32_t kNotCachedShared = (1U << 19U) | (1U << 18U);  // TEX 1, S: normal, not cached, shareable
constexpr std::uint32_t kDevice = (1U << 18U) | (1U << 16U);           // S, B: device, shareable

constexpr std::uint32_t kNoAccess = 0U;
constexpr std::uint32_t kPrivilegedReadWrite = 1U << 24U;
constexpr std::uint32_t kPrivilegedReadOnly = 5U << 24U;
constexpr std::uint32_t kExecuteNever = 1U << 28U;

std::uint32_t attributes_of(Access access) noexcept {
    switch (access) {
        case Access::kReadOnly:
            return kWriteBack | kPrivilegedReadOnly | kExecuteNever;
        case Access::kReadWrite:
            return kWriteBack | kPrivilegedReadWrite | kExecuteNever;
        case Access::kReadExecute:
            return kWriteBack | kPrivilegedReadOnly;
        case Access::kReadWriteShared:
            return kNotCachedShared | kPrivilegedReadWrite | kExecuteNever;
        case Access::kPeripheral:
            return kDevice | kPrivilegedReadWrite | kExecuteNever;
        case Access::kNone:
        default:
            break;
    }
    return kWriteBack | kNoAccess | kExecuteNever;
}

constexpr bool is_power_of_two(std::uint32_t number) noexcept {
    return (number != 0U) && ((number & (number - 1U)) == 0U);
}

// Exponent of a power of two.
std::uint32_t log2_of(std::uint32_t number) noexcept {
    std::uint32_t bits = 0U;
    for (std::uint32_t rest = number; rest > 1U; rest >>= 1U) {
        ++bits;
    }
    return bits;
}

}  // namespace

std::uint32_t capacity() noexcept {
    return arm_m::mpu_regions();
}

bool is_supported(const Window& window) noexcept {
    return is_well_formed(window) && is_power_of_two(window.size_bytes) && ((window.base % window.size_bytes) == 0U);
}

Status protect(Span<const Window> windows) noexcept {
    const Status checked = check_windows(windows);
    if (!is_ok(checked)) {
        return checked;
    }
    const std::uint32_t regions = capacity();
    arm_m::disable_mpu();
    for (std::uint32_t region = 0U; region < regions; ++region) {
        mmio::write(arm_m::kMpuRnr, region);
        if (region < windows.size()) {
            const Window& window = windows[region];
            const std::uint32_t size_field = log2_of(window.size_bytes) - 1U;
            mmio::write(arm_m::kMpuRbar, window.base);
            mmio::write(kRasr, attributes_of(window.access) | (size_field << kSizeShift) | kEnable);
        } else {
            mmio::write(kRasr, 0U);
        }
    }
    arm_m::enable_mpu();
    return Status::kOk;
}

}  // namespace pianola::protection
