// Memory protection by PMSAv7-R: regions of a power of two bytes, at a multiple of their size.
#include "hal/arch/protection.h"

#include "hal/arch/arm_r/instructions.h"
#include "hal/arch/window_check.h"

namespace pianola::protection {
namespace {

using arm_ar::data_synchronisation_barrier;
using arm_ar::instruction_synchronisation_barrier;
using arm_ar::Sctlr;
using arm_r::Dracr;
using arm_r::Drbar;
using arm_r::Drsr;
using arm_r::Mpuir;
using arm_r::Rgnr;

// Dracr: permissions of privileged code (user code has none), and what kind of memory it is.
constexpr std::uint32_t kNeverExecute = 1U << 12U;
constexpr std::uint32_t kNoAccess = 0U << 8U;
constexpr std::uint32_t kPrivilegedReadWrite = 1U << 8U;
constexpr std::uint32_t kPrivilegedReadOnly = 5U << 8U;
constexpr std::uint32_t kDeviceShareable = 1U;                          // TEX 0, C 0, B 1
constexpr std::uint32_t kCached = (1U << 3U) | 3U;                      // TEX 1, C 1, B 1: write-back, write-allocate
constexpr std::uint32_t kNotCachedShareable = (1U << 3U) | (1U << 2U);  // TEX 1, C 0, B 0, S 1

// Sctlr.
constexpr std::uint32_t kProtectionOn = 1U << 0U;
constexpr std::uint32_t kDataCacheOn = 1U << 2U;
constexpr std::uint32_t kInstructionCacheOn = 1U << 12U;
constexpr std::uint32_t kBackgroundRegion = 1U << 17U;

constexpr std::uint32_t kRegionOn = 1U;

std::uint32_t attributes_of(Access access) noexcept {
    switch (access) {
        case Access::kReadOnly:
            return kNeverExecute | kPrivilegedReadOnly | kCached;
        case Access::kReadWrite:
            return kNeverExecute | kPrivilegedReadWrite | kCached;
        case Access::kReadExecute:
            return kPrivilegedReadOnly | kCached;
        case Access::kReadWriteShared:
            // The L1 caches of the pair are not coherent: neither core caches memory that both write.
            return kNeverExecute | kPrivilegedReadWrite | kNotCachedShareable;
        case Access::kPeripheral:
            return kNeverExecute | kPrivilegedReadWrite | kDeviceShareable;
        case Access::kNone:
        default:
            return kNeverExecute | kNoAccess;
    }
}

// Exponent of a power of two.
std::uint32_t exponent_of(std::uint32_t power) noexcept {
    std::uint32_t exponent = 0U;
    while ((exponent < 31U) && ((1U << exponent) != power)) {
        ++exponent;
    }
    return exponent;
}

void write_region(std::uint32_t number, const Window& window) noexcept {
    Rgnr::write(number);
    instruction_synchronisation_barrier();  // the selection holds before the selected region is written
    Drsr::write(0U);                        // off while the region is incomplete
    Drbar::write(window.base);
    Dracr::write(attributes_of(window.access));
    if (window.size_bytes != 0U) {
        Drsr::write(((exponent_of(window.size_bytes) - 1U) << 1U) | kRegionOn);
    }
}

}  // namespace

std::uint32_t capacity() noexcept {
    return (Mpuir::read() >> 8U) & 0xFFU;
}

bool is_supported(const Window& window) noexcept {
    const bool is_power_of_two = (window.size_bytes & (window.size_bytes - 1U)) == 0U;
    return is_well_formed(window) && is_power_of_two && ((window.base & (window.size_bytes - 1U)) == 0U);
}

// Protection is off while regions change. That is safe: the default map then applies, in which memory below 1 GiB is
// cached as in kReadWrite and kReadExecute, and this function accesses only its code and stack, which are such memory.
Status protect(Span<const Window> windows) noexcept {
    const Status status = check_windows(windows);
    if (!is_ok(status)) {
        return status;
    }
    const std::uint32_t control = Sctlr::read();
    data_synchronisation_barrier();  // no access that began under the old regions is still under way
    Sctlr::write(control & ~kProtectionOn);
    instruction_synchronisation_barrier();  // the following code runs without the old regions
    const std::uint32_t regions = capacity();
    for (std::uint32_t number = 0U; number < regions; ++number) {
        write_region(number, (number < windows.size()) ? windows[number] : Window{});
    }
    data_synchronisation_barrier();  // all regions are written before they take effect
    // The first protect() switches the caches on: from here on the cacheable memory is defined. Start-up has emptied
    // them.
    Sctlr::write((control & ~kBackgroundRegion) | kProtectionOn | kDataCacheOn | kInstructionCacheOn);
    instruction_synchronisation_barrier();  // the following code is fetched and executed under the new regions
    return Status::kOk;
}

}  // namespace pianola::protection
