// Memory protection by the memory management unit of ARMv7-A: one table of 1 MiB sections, each mapped to itself.
//
// Nothing is cached: on boards with this core, other bus masters do not snoop its caches. Windows are multiples of 1
// MiB.
#include "hal/arch/protection.h"

#include <array>

#include "hal/arch/arm_a/instructions.h"
#include "hal/arch/window_check.h"

namespace pianola::protection {
namespace {

using arm_ar::data_synchronisation_barrier;
using arm_ar::instruction_synchronisation_barrier;

constexpr std::uint32_t kSectionShift = 20U;
constexpr std::uint32_t kSectionBytes = 1U << kSectionShift;
constexpr std::uint32_t kSections = 4096U;
constexpr std::uint32_t kMostWindows = 16U;  // the table holds any number; the check compares all pairs

// A section's entry. Without permission bits every access is refused.
constexpr std::uint32_t kSection = 2U;
constexpr std::uint32_t kDevice = 1U << 2U;  // TEX 0, C 0, B 1
constexpr std::uint32_t kNeverExecute = 1U << 4U;
constexpr std::uint32_t kPrivilegedReadWrite = 1U << 10U;
constexpr std::uint32_t kPrivilegedReadOnly = (1U << 15U) | (1U << 10U);
constexpr std::uint32_t kNotCachedShareable = (1U << 12U) | (1U << 16U);  // TEX 1, C 0, B 0, S 1

constexpr std::uint32_t kPermissionsCount = 1U;  // of domain 0, to which all sections belong
constexpr std::uint32_t kTranslationOn = 1U << 0U;

constexpr std::size_t kTableAlignment = 16U * 1024U;
struct Table {
    alignas(kTableAlignment) std::array<std::uint32_t, kSections> entries;
};
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
Table g_table;

std::uint32_t attributes_of(Access access) noexcept {
    switch (access) {
        case Access::kReadOnly:
            return kNeverExecute | kPrivilegedReadOnly | kNotCachedShareable;
        case Access::kReadWrite:
        case Access::kReadWriteShared:
            return kNeverExecute | kPrivilegedReadWrite | kNotCachedShareable;
        case Access::kReadExecute:
            return kPrivilegedReadOnly | kNotCachedShareable;
        case Access::kPeripheral:
            return kNeverExecute | kPrivilegedReadWrite | kDevice;
        case Access::kNone:
        default:
            return kNeverExecute;
    }
}

}  // namespace

std::uint32_t capacity() noexcept {
    return kMostWindows;
}

bool is_supported(const Window& window) noexcept {
    return is_well_formed(window) && ((window.base % kSectionBytes) == 0U) &&
           ((window.size_bytes % kSectionBytes) == 0U);
}

// Translation is off while the table changes: addresses are the same with and without it, and memory is not cached in
// either case.
Status protect(Span<const Window> windows) noexcept {
    const Status status = check_windows(windows);
    if (!is_ok(status)) {
        return status;
    }
    const std::uint32_t control = arm_ar::Sctlr::read();
    data_synchronisation_barrier();
    arm_ar::Sctlr::write(control & ~kTranslationOn);
    instruction_synchronisation_barrier();  // the following code runs without the old table
    for (std::uint32_t section = 0U; section < kSections; ++section) {
        g_table.entries[section] = (section << kSectionShift) | attributes_of(Access::kNone) | kSection;
    }
    for (const Window& window : windows) {
        const std::uint32_t first = static_cast<std::uint32_t>(window.base) >> kSectionShift;
        const std::uint32_t count = window.size_bytes >> kSectionShift;
        for (std::uint32_t section = first; section < (first + count); ++section) {
            g_table.entries[section] = (section << kSectionShift) | attributes_of(window.access) | kSection;
        }
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-030
    arm_a::Ttbr0::write(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(g_table.entries.data())));
    arm_a::Ttbcr::write(0U);
    arm_a::Dacr::write(kPermissionsCount);
    data_synchronisation_barrier();  // the table is written before it is walked
    arm_a::Tlbiall::write(0U);
    data_synchronisation_barrier();
    instruction_synchronisation_barrier();
    arm_ar::Sctlr::write(control | kTranslationOn);
    instruction_synchronisation_barrier();  // the following code is fetched under the new table
    return Status::kOk;
}

}  // namespace pianola::protection
