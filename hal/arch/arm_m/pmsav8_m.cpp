// PMSAv8 of the M-profile: Cortex-M33 and M55. Regions begin and end on any 32 bytes.
//
// The private peripheral bus, with SysTick, interrupt controller and this unit, is always accessible; any other
// peripheral needs a window. The unit has one bank per security state; the boards run in Secure state and use that
// bank.
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

// RBAR: base and permissions. RLAR: last address and memory type, as an index into MAIR0.
constexpr std::uintptr_t kRlar = 0xE000'EDA0U;
constexpr std::uintptr_t kMair0 = 0xE000'EDC0U;
constexpr std::uint32_t kAddressMask = ~31U;
constexpr std::uint32_t kEnable = 1U << 0U;
constexpr std::uint32_t kTypeShift = 1U;

constexpr std::uint32_t kExecuteNever = 1U << 0U;
constexpr std::uint32_t kPrivilegedReadWrite = 0U << 1U;
constexpr std::uint32_t kPrivilegedReadOnly = 2U << 1U;
// Shareable: exclusive accesses of two cores to one word are then arbitrated by the system's monitor, not by each
// core's own.
constexpr std::uint32_t kOuterShareable = 2U << 3U;

// MAIR0, one byte per memory type.
constexpr std::uint32_t kTypeWriteBack = 0U;  // normal, write-back, allocated on read and write
constexpr std::uint32_t kTypeNotCached = 1U;  // normal, not cached
constexpr std::uint32_t kTypeDevice = 2U;     // device, nGnRE
constexpr std::uint32_t kMair0Value = 0x0004'44FFU;

struct Attributes {
    std::uint32_t rbar;
    std::uint32_t type;
};

Attributes attributes_of(Access access) noexcept {
    switch (access) {
        case Access::kReadWrite:
            return {kPrivilegedReadWrite | kExecuteNever, kTypeWriteBack};
        case Access::kReadExecute:
            return {kPrivilegedReadOnly, kTypeWriteBack};
        case Access::kReadWriteShared:
            return {kPrivilegedReadWrite | kExecuteNever | kOuterShareable, kTypeNotCached};
        case Access::kPeripheral:
            return {kPrivilegedReadWrite | kExecuteNever | kOuterShareable, kTypeDevice};
        case Access::kReadOnly:
        case Access::kNone:  // gets no region
        default:
            break;
    }
    return {kPrivilegedReadOnly | kExecuteNever, kTypeWriteBack};
}

}  // namespace

std::uint32_t capacity() noexcept {
    return arm_m::mpu_regions();
}

bool is_supported(const Window& window) noexcept {
    return is_well_formed(window);
}

Status protect(Span<const Window> windows) noexcept {
    const Status checked = check_windows(windows);
    if (!is_ok(checked)) {
        return checked;
    }
    const std::uint32_t regions = capacity();
    arm_m::disable_mpu();
    mmio::write(kMair0, kMair0Value);
    for (std::uint32_t region = 0U; region < regions; ++region) {
        mmio::write(arm_m::kMpuRnr, region);
        // A privileged core can always read what a region covers, so "no access" means no region.
        if ((region < windows.size()) && (windows[region].access != Access::kNone)) {
            const Window& window = windows[region];
            const Attributes attributes = attributes_of(window.access);
            const std::uint32_t last = window.base + (window.size_bytes - 1U);
            mmio::write(arm_m::kMpuRbar, window.base | attributes.rbar);
            mmio::write(kRlar, (last & kAddressMask) | (attributes.type << kTypeShift) | kEnable);
        } else {
            mmio::write(kRlar, 0U);
        }
    }
    arm_m::enable_mpu();
    return Status::kOk;
}

}  // namespace pianola::protection
