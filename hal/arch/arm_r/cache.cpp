#include "hal/arch/arm_r/cache.h"

#include "hal/arch/arm_r/instructions.h"

namespace pianola::arm_r {
namespace {

using arm_ar::data_synchronisation_barrier;

constexpr std::uintptr_t kLineBytes = 32U;
constexpr std::uintptr_t kLineMask = kLineBytes - 1U;

// The lines that a range touches. The loop counts lines because the address space may end after the last one.
struct Lines {
    std::uintptr_t first{0U};
    std::size_t count{0U};
};

std::uintptr_t number_of(const std::uint8_t* address) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-030
    return reinterpret_cast<std::uintptr_t>(address);
}

Lines lines_of(std::uintptr_t base, std::size_t size_bytes) noexcept {
    const std::uintptr_t first = base & ~kLineMask;
    return {first, ((base - first) + size_bytes + kLineMask) / kLineBytes};
}

}  // namespace

void clean_data_cache(ByteSpan memory) noexcept {
    if (!memory.empty()) {
        const Lines lines = lines_of(number_of(memory.data()), memory.size());
        for (std::size_t i = 0U; i < lines.count; ++i) {
            Dccmvac::write(lines.first + (i * kLineBytes));
        }
    }
    // The instructions above only start the maintenance. It must be complete before the other core is signalled.
    data_synchronisation_barrier();
}

void invalidate_data_cache(MutableByteSpan memory) noexcept {
    // Later accesses must not overtake the loads that found the other core's message.
    data_memory_barrier();
    if (!memory.empty()) {
        const std::uintptr_t base = number_of(memory.data());
        const Lines lines = lines_of(base, memory.size());
        const bool first_is_partial = (base & kLineMask) != 0U;
        const bool last_is_partial = ((base + memory.size()) & kLineMask) != 0U;
        for (std::size_t i = 0U; i < lines.count; ++i) {
            const std::uintptr_t line = lines.first + (i * kLineBytes);
            if (((i == 0U) && first_is_partial) || ((i == (lines.count - 1U)) && last_is_partial)) {
                Dccimvac::write(line);
            } else {
                Dcimvac::write(line);
            }
        }
    }
    // Later loads must not be served from a line that is still being evicted.
    data_synchronisation_barrier();
}

}  // namespace pianola::arm_r
